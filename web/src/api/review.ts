/** Everything that can be asked of a review. */

import type { Diff } from "./answers";
import { command, fetchJson } from "./request";
import type { CommentView, Contents, Listing, ReviewView, SessionView, Side } from "./types.gen";

export interface Looking {
  readonly against: string;
  readonly ignoreSpace: boolean;
}

export interface Opening extends Diff {
  readonly tree: string;
  readonly more: number;
}

export interface Drafting {
  readonly id: string;
  readonly path: string;
  readonly side: Side;
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
  readonly text: string;
  readonly suggestion: string | null;
}

export interface Stretch {
  readonly old_start: number;
  readonly old_count: number;
  readonly new_start: number;
  readonly new_count: number;
}

const at = (id: string, what = "") => `/sessions/${id}/review${what}`;

function query({ against, ignoreSpace }: Looking): URLSearchParams {
  return new URLSearchParams({ against, ignore_space: `${ignoreSpace}` });
}

export const fetchReview = (id: string) => fetchJson<ReviewView>(at(id));
export const fetchListing = (id: string, look: Looking) =>
  fetchJson<Listing>(at(id, `/diff?${query(look)}`));

/** The first files with their patches; if there are no more it is the whole list. */
export const fetchFirst = (id: string, look: Looking, first: number) =>
  fetchJson<Opening>(at(id, `/diff?${query(look)}&first=${first}`));

export function fetchPatches(
  id: string,
  look: Looking,
  paths: readonly string[],
  whole = false,
): Promise<Diff> {
  const asked = query(look);
  for (const path of paths) asked.append("path", path);
  if (whole) asked.set("whole", "true");
  return fetchJson<Diff>(at(id, `/patches?${asked}`));
}

export function fetchContents(
  id: string,
  path: string,
  side: Side,
  against: string,
): Promise<Contents> {
  const asked = new URLSearchParams({ path, side, against });
  return fetchJson<Contents>(at(id, `/contents?${asked}`));
}

export const draftComment = (id: string, draft: Drafting) =>
  command<CommentView>(at(id, "/comments"), draft);
export const discardComment = (id: string, comment: string) =>
  command<ReviewView>(at(id, `/comments/${comment}/discard`));
export const resolveComment = (id: string, comment: string) =>
  command<CommentView>(at(id, `/comments/${comment}/resolve`));
export const reopenComment = (id: string, comment: string) =>
  command<CommentView>(at(id, `/comments/${comment}/reopen`));
export const applySuggestion = (id: string, comment: string) =>
  command<CommentView>(at(id, `/comments/${comment}/apply`));
export const setViewed = (id: string, path: string, blob: string, viewed: boolean) =>
  command<unknown>(at(id, "/viewed"), { path, blob, viewed });
export const sendReview = (id: string, text: string) => command<unknown>(at(id, "/send"), { text });
export const giveVerdict = (id: string, verdict: SessionView["review"], tree: string) =>
  command<SessionView>(at(id, "/verdict"), { verdict, tree });
export const revert = (
  id: string,
  body: { path: string; old_path: string; blob: string; against: string; hunk: Stretch | null },
) => command<{ checkpoint: string }>(at(id, "/revert"), body);
