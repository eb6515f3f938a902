/** Copying, also where the page has no secure context and so no clipboard of its own. */

import { notify } from "./notices";

export function copyText(text: string, what: string): void {
  const copied = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error("none"));
  copied.then(
    () => notify(`${what} copied.`, text),
    () => notify(`${what} could not be copied; here it is:`, text),
  );
}
