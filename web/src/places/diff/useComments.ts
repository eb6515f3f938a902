/** A session's comments by file, those being written included. */

import { useMemo } from "react";
import type { CommentView } from "../../api/types.gen";
import { type Typed, useReviews } from "../../state/diff/review";

const NONE: readonly CommentView[] = [];

export function useComments(session: string): ReadonlyMap<string, readonly CommentView[]> {
  const comments = useReviews((state) => state.open[session]?.comments ?? NONE);
  // What is typed changes with every key; where it stands does not.
  const fresh = useReviews((state) =>
    Object.values(state.typed)
      .filter((typed) => typed.session === session)
      .map(({ id }) => id)
      .sort()
      .join(" "),
  );
  return useMemo(() => {
    const known = new Set<string>(comments.map(({ id }) => id));
    const { typed } = useReviews.getState();
    const written = fresh
      .split(" ")
      .map((id) => typed[id])
      .filter((one): one is Typed => one !== undefined && !known.has(one.id));
    const found = new Map<string, CommentView[]>();
    for (const comment of [...comments, ...written.map(viewOf)]) {
      const there = found.get(comment.path);
      if (there === undefined) found.set(comment.path, [comment]);
      else there.push(comment);
    }
    return found;
  }, [comments, fresh]);
}

function viewOf(typed: Typed): CommentView {
  const { id, path, side, start, end, lines, text, suggestion } = typed;
  return {
    ...{ id, path, side, start, end, lines, text, suggestion },
    state: "draft",
    pending: true,
    outdated: false,
    answered: false,
    addressed: false,
    reply: "",
    at: "",
    sent: "",
  };
}
