import { lazy, Suspense } from "react";
import { useCover } from "../state/screen";
import { Archive } from "./archive/Archive";
import { Help } from "./help/Help";
import { NewSession } from "./new/NewSession";

const LandingCover = lazy(() => import("./landing/LandingCover"));

/** The dialog that is open, if one is. */
export function Covers() {
  const cover = useCover((state) => state.cover);
  switch (cover.name) {
    case "new":
      return <NewSession />;
    case "help":
      return <Help />;
    case "archive":
      return <Archive id={cover.id} />;
    case "landing":
      return (
        <Suspense fallback={null}>
          <LandingCover id={cover.id} />
        </Suspense>
      );
    case "none":
      return null;
  }
}
