/** What the train leaves in the conversation; null: nothing, undefined: not its own. */

import type { AnyEvent } from "../../api/types.gen";
import type { Note } from "./note";

const SILENT = /^(car|train)_|^mend_asked$/;

export function trainNote(event: AnyEvent): Note | null | undefined {
  switch (event.type) {
    case "car_added":
      return plain(`On the train to ${event.into}`);
    case "car_tested":
      return event.passed ? null : bad(`Failed on the train: ${event.error}`);
    case "car_conflicted":
      return bad(`In conflict with what is ahead on the train: ${event.paths.join(", ")}`);
    case "car_held":
      return plain(`Held on the train: ${event.error}`);
    case "car_landed":
      return plain(`Landed in ${event.into} as ${event.commit.slice(0, 7)}, by the train`);
    case "car_left":
      return event.why === "removed"
        ? plain("Taken off the train")
        : bad(`Left the train${event.mending ? ", to be mended by its agent" : ""}`);
    default:
      return SILENT.test(event.type) ? null : undefined;
  }
}

const plain = (text: string): Note => ({ text, bad: false });
const bad = (text: string): Note => ({ text, bad: true });
