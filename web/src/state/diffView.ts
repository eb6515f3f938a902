/** How this browser likes to see diffs. */

import { stored } from "./stored";

export const useDiffView = stored("diff", { split: false, wrap: false, tree: true });
