import { useCover } from "../state/screen";
import { Archive } from "./archive/Archive";
import { Remove } from "./archive/Remove";
import { Rewind } from "./conversation/turn/Rewind";
import { SayAll } from "./fleet/SayAll";
import { Help } from "./help/Help";
import { NewSession } from "./new/NewSession";
import { Palette } from "./palette/Palette";

/** The dialog that is open, if one is. */
export function Covers() {
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
    case "say":
      return <SayAll ids={cover.ids} />;
    case "rewind":
      return <Rewind {...cover} />;
    case "remove":
      return <Remove {...cover} />;
    case "none":
      return null;
  }
}
