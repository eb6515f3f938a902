/** The files as their tree shows them; the same list for as long as nothing in it changed. */

import { useMemo, useRef } from "react";
import type { CommentView } from "../../api/types.gen";
import type { FileDiff } from "../../state/diffFiles";
import type { TreeFile } from "./tree";

const NONE: readonly TreeFile[] = [];

export function useTreeFiles(
  files: readonly FileDiff[],
  comments: ReadonlyMap<string, readonly CommentView[]>,
): readonly TreeFile[] {
  const last = useRef(NONE);
  return useMemo(() => {
    const before = last.current;
    const now = files.map((diff, n) => kept(before[n], treeFile(diff, comments)));
    const isSame = now.length === before.length && now.every((file, n) => file === before[n]);
    if (!isSame) last.current = now;
    return last.current;
  }, [files, comments]);
}

function treeFile(
  { file }: FileDiff,
  comments: ReadonlyMap<string, readonly CommentView[]>,
): TreeFile {
  const { path, status, added, removed, viewed = "no" } = file;
  const open = comments.get(path)?.filter(({ state }) => state !== "resolved").length ?? 0;
  return { path, status, added, removed, viewed, comments: open };
}

function kept(before: TreeFile | undefined, now: TreeFile): TreeFile {
  if (before === undefined) return now;
  const names = Object.keys(now) as (keyof TreeFile)[];
  return names.every((name) => before[name] === now[name]) ? before : now;
}
