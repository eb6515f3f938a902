/** What the radar sees, and the ways out: asked of the hub by the operations' own names. */

import { command, fetchJson } from "./request";

export type Span = readonly [first: number, last: number];

export interface Clash {
  readonly path: string;
  readonly kind: "conflict" | "overlap";
  readonly reason: string;
  readonly lines: { readonly a: readonly Span[]; readonly b: readonly Span[] };
}

/** Two sessions, or a session and the branch it started from. */
export interface Conflict {
  readonly a: string;
  readonly b: string;
  readonly base: boolean;
  readonly paths: readonly Clash[];
  readonly first: string;
  readonly suggestion: string;
}

export interface Updated {
  readonly conflicts: readonly string[];
  readonly already: boolean;
}

/** As last seen; `fresh`: every session is looked at anew, watched or not. */
export const fetchConflicts = (fresh: boolean) =>
  fetchJson<Conflict[]>(`/conflicts?overlaps=true&fresh=${fresh}`);
export const update = (id: string) => command<Updated>(`/sessions/${id}/update`, {});
