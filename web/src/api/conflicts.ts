/** What the radar sees. */

import { fetchJson } from "./request";

export type { Clash, ConflictView as Conflict } from "./types.gen";
export type Span = readonly [first: number, last: number];

/** As last seen; `fresh`: every session is looked at anew, watched or not. */
export const fetchConflicts = (fresh: boolean) =>
  fetchJson("/conflicts", {}, { overlaps: true, fresh });
