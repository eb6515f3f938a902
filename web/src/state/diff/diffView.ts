/** How this browser likes to see diffs. */

import { stored } from "../page/stored";

const isPhone = matchMedia("(max-width: 760px)").matches;

export const useDiffView = stored("diff", { split: false, wrap: isPhone, tree: !isPhone });
