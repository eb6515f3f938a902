/** Who is in whose way, as the radar last said; loaded anew when it says that something changed. */

import { create } from "zustand";
import { type Conflict, fetchConflicts } from "../../api/conflicts";
import type { AnyEvent } from "../../api/types.gen";

interface Radar {
  readonly loaded: boolean;
  readonly conflicts: readonly Conflict[];
}

export const useConflicts = create<Radar>(() => ({ loaded: false, conflicts: [] }));

const LOAD_AFTER_MS = 150;
let waiting: ReturnType<typeof setTimeout> | null = null;

export async function loadConflicts(fresh = false): Promise<void> {
  useConflicts.setState({ loaded: true, conflicts: await fetchConflicts(fresh) });
}

export function noteConflicts(events: readonly AnyEvent[]): void {
  if (waiting !== null || !events.some((event) => event.type === "conflict_changed")) return;
  waiting = setTimeout(() => {
    waiting = null;
    // While the hub is away the last word stands; its return loads this anew.
    void loadConflicts().catch(() => undefined);
  }, LOAD_AFTER_MS);
}

export const isReal = (conflict: Conflict): boolean =>
  conflict.paths.some((path) => path.kind === "conflict");

/** How many others the session really conflicts with: what a badge says. */
export function conflictCount(conflicts: readonly Conflict[], session: string): number {
  return conflicts.filter(
    (conflict) => isReal(conflict) && (conflict.a === session || conflict.b === session),
  ).length;
}

/** The meeting of two sides, whichever of them is named first. */
export function between(
  conflicts: readonly Conflict[],
  one: string,
  other: string,
): Conflict | undefined {
  return conflicts.find(({ a, b }) => (a === one && b === other) || (a === other && b === one));
}
