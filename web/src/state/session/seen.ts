/** Up to where a person has seen each session, on this browser. */

import { stored } from "../page/stored";

export interface Seen {
  readonly seq: number;
  readonly at: string;
}

const MOST_KEPT = 400;

export const useSeen = stored<{ readonly marks: Readonly<Record<string, Seen>> }>("seen", {
  marks: {},
});

export function setSeen(id: string, seen: Seen): void {
  const { [id]: before, ...others } = useSeen.getState().marks;
  if (before !== undefined && before.seq >= seen.seq) return;
  const kept = Object.entries(others)
    .sort(([, a], [, b]) => b.at.localeCompare(a.at))
    .slice(0, MOST_KEPT);
  useSeen.setState({ marks: { ...Object.fromEntries(kept), [id]: seen } });
}

/** When this page began to show each session; what is read from then on is read by itself. */
const begun = new Map<string, string>();

export function noteVisit(id: string): void {
  begun.set(id, new Date().toISOString());
}

export function visitBegan(id: string): string {
  return begun.get(id) ?? new Date().toISOString();
}
