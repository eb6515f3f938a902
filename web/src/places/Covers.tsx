import { lazy, Suspense } from "react";
import { useCover } from "../state/page/screen";

const Archive = lazy(async () => ({ default: (await import("./archive/Archive")).Archive }));
const Board = lazy(async () => ({ default: (await import("./train/Board")).Board }));
const Box = lazy(async () => ({ default: (await import("./session/Box")).Box }));
const Land = lazy(async () => ({ default: (await import("./landing/Land")).Land }));
const Remove = lazy(async () => ({ default: (await import("./archive/Remove")).Remove }));
const Mark = lazy(async () => ({ default: (await import("./marking/Mark")).Mark }));
const Point = lazy(async () => ({ default: (await import("./marking/Point")).Point }));
const Rewind = lazy(async () => ({ default: (await import("./conversation/turn/Rewind")).Rewind }));
const SayAll = lazy(async () => ({ default: (await import("./fleet/SayAll")).SayAll }));
const Help = lazy(async () => ({ default: (await import("./help/Help")).Help }));
const NewSession = lazy(async () => ({ default: (await import("./new/NewSession")).NewSession }));
const Palette = lazy(async () => ({ default: (await import("./palette/Palette")).Palette }));

/** The dialog that is open, if one is. */
export function Covers() {
  return (
    <Suspense>
      <Open />
    </Suspense>
  );
}

function Open() {
  const cover = useCover((state) => state.cover);
  switch (cover.name) {
    case "new":
      return <NewSession />;
    case "help":
      return <Help />;
    case "palette":
      return <Palette />;
    case "archive":
      return <Archive ids={cover.ids} />;
    case "board":
      return <Board {...cover} />;
    case "box":
      return <Box {...cover} />;
    case "land":
      return <Land {...cover} />;
    case "say":
      return <SayAll ids={cover.ids} />;
    case "rewind":
      return <Rewind {...cover} />;
    case "mark":
      return <Mark {...cover} />;
    case "point":
      return <Point {...cover} />;
    case "remove":
      return <Remove {...cover} />;
    case "none":
      return null;
  }
}
