/** Work that may wait until whoever types has been served. */

/** Runs when the browser is idle, where it can tell, and after `most` milliseconds in any case. */
export function atLeisure(run: () => void, most: number): void {
  if ("requestIdleCallback" in globalThis) requestIdleCallback(run, { timeout: most });
  else run();
}
