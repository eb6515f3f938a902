/** Everything that can be asked of a review. */

import { command, fetchJson } from "./request";
import type { Drafting as Drafted, Judging, Reverting, Side } from "./types.gen";

export type { Hunk as Stretch, Listing as Opening } from "./types.gen";

/** All of it, as the page has it. */
export type Drafting = Required<Drafted>;

export interface Looking {
  readonly against: string;
  readonly ignoreSpace: boolean;
}

const query = ({ against, ignoreSpace }: Looking) => ({ against, ignore_space: ignoreSpace });

export const fetchReview = (ref: string) => fetchJson("/sessions/{ref}/review", { ref });
export const fetchListing = (ref: string, look: Looking) =>
  fetchJson("/sessions/{ref}/review/diff", { ref }, query(look));

/** The first files with their patches; if there are no more it is the whole list. */
export const fetchFirst = (ref: string, look: Looking, first: number) =>
  fetchJson("/sessions/{ref}/review/diff", { ref }, { ...query(look), first });

export const fetchPatches = (ref: string, look: Looking, path: readonly string[], whole = false) =>
  fetchJson(
    "/sessions/{ref}/review/patches",
    { ref },
    { ...query(look), path, ...(whole && { whole }) },
  );

export const fetchContents = (ref: string, path: string, side: Side, against: string) =>
  fetchJson("/sessions/{ref}/review/contents", { ref }, { path, side, against });

export const draftComment = (ref: string, draft: Drafting) =>
  command("/sessions/{ref}/review/comments", { ref }, draft);
export const discardComment = (ref: string, id: string) =>
  command("/sessions/{ref}/review/comments/{id}/discard", { ref, id });
export const resolveComment = (ref: string, id: string) =>
  command("/sessions/{ref}/review/comments/{id}/resolve", { ref, id });
export const reopenComment = (ref: string, id: string) =>
  command("/sessions/{ref}/review/comments/{id}/reopen", { ref, id });
export const applySuggestion = (ref: string, id: string) =>
  command("/sessions/{ref}/review/comments/{id}/apply", { ref, id });
export const setViewed = (ref: string, path: string, blob: string, viewed: boolean) =>
  command("/sessions/{ref}/review/viewed", { ref }, { path, blob, viewed });
export const sendReview = (ref: string, text: string) =>
  command("/sessions/{ref}/review/send", { ref }, { text });
export const giveVerdict = (ref: string, verdict: Judging["verdict"], tree: string) =>
  command("/sessions/{ref}/review/verdict", { ref }, { verdict, tree });
export const revert = (ref: string, body: Reverting) =>
  command("/sessions/{ref}/review/revert", { ref }, body);
