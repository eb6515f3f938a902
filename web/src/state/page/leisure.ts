/** Work that may wait until whoever types has been served. */

/**
 * Runs when the browser is idle, where it can tell, and after `most` milliseconds in any case.
 *
 * In a hidden page, which may be idle only now and then, it runs at once.
 */
export function atLeisure(run: () => void, most: number): void {
  const waits = document.visibilityState === "visible" && "requestIdleCallback" in globalThis;
  if (waits) requestIdleCallback(run, { timeout: most });
  else run();
}
