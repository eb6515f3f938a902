/** What the radar sees. */

import { fetchJson } from "./request";

export type {
  Clash,
  ConflictView as Conflict,
  HunkPart as Part,
  PathHunks,
} from "./types.gen";
export type Span = readonly [first: number, last: number];

/** As last seen; `fresh`: every session is looked at anew, watched or not. */
export const fetchConflicts = (fresh: boolean) =>
  fetchJson("/conflicts", {}, { overlaps: true, fresh });

/** Both sides of what collides; `b` may be the name of the session's base. */
export const fetchHunks = (a: string, b: string) => fetchJson("/conflicts/hunks", {}, { a, b });

/** Those sessions in the order in which the fewest have to be updated. */
export const fetchOrder = (session: readonly string[]) =>
  fetchJson("/conflicts/order", {}, { session });
