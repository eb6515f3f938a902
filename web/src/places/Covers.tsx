import { useCover } from "../state/screen";
import { Archive } from "./archive/Archive";
import { Help } from "./help/Help";
import { NewSession } from "./new/NewSession";

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
    case "none":
      return null;
  }
}
