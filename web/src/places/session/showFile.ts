/** Shows a file where it can be seen best. */

import { runKey } from "../../state/page/keys";

/** Among the changes: presses the file's name in their list. */
export function showChanged(path: string): void {
  runKey("panes:p d");
  requestAnimationFrame(() => {
    const names = document.querySelectorAll<HTMLElement>("button[data-testid=diff-file]");
    [...names].find((name) => name.dataset.path === path)?.click();
  });
}
