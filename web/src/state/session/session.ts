/** A session's view as the page shows it. */

import type { SessionView } from "../../api/types.gen";
import { visibleBidi } from "./plain";

/** With a title that reads as it is stored: people and agents write titles. */
export function readable(view: SessionView): SessionView {
  const title = visibleBidi(view.title);
  return title === view.title ? view : { ...view, title };
}
