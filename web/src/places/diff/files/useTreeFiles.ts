/** The files as their tree shows them; the same list for as long as nothing in it changed. */

import { useMemo, useRef } from "react";
import type { CommentView } from "../../../api/types.gen";
import type { FileDiff } from "../../../state/diff/diffFiles";
import type { TreeFile } from "./tree";

type Comments = ReadonlyMap<string, readonly CommentView[]>;

interface Shown {
  readonly files: readonly FileDiff[];
  readonly comments: Comments | null;
  readonly tree: readonly TreeFile[];
}

export function useTreeFiles(files: readonly FileDiff[], comments: Comments): readonly TreeFile[] {
  const last = useRef<Shown>({ files: [], comments: null, tree: [] });
  return useMemo(() => {
    const before = last.current;
    const tree = files.map((diff, n) => {
      const known = before.tree[n];
      const isKnown = before.comments === comments && before.files[n]?.file === diff.file;
      return isKnown && known ? known : kept(known, treeFile(diff, comments));
    });
    const isSame =
      tree.length === before.tree.length && tree.every((file, n) => file === before.tree[n]);
    last.current = { files, comments, tree: isSame ? before.tree : tree };
    return last.current.tree;
  }, [files, comments]);
}

function treeFile({ file }: FileDiff, comments: Comments): TreeFile {
  const { path, status, added, removed, viewed = "no" } = file;
  const open = comments.get(path)?.filter(({ state }) => state !== "resolved").length ?? 0;
  return { path, status, added, removed, viewed, comments: open };
}

function kept(before: TreeFile | undefined, now: TreeFile): TreeFile {
  if (before === undefined) return now;
  const names = Object.keys(now) as (keyof TreeFile)[];
  return names.every((name) => before[name] === now[name]) ? before : now;
}
