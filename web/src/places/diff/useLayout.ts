/** The layout of all files; only files whose input changed are laid out again. */

import { useCallback, useMemo, useRef, useState } from "react";
import type { CommentView } from "../../api/types.gen";
import type { FileDiff } from "../../state/diff/diffFiles";
import { type Block, blockOf, heightOf, type Layout, layoutOf } from "./layout";
import type { Expansion } from "./rows/context";
import { type Row, type RowInput, rowsOf } from "./rows/rows";

export interface LayoutInput {
  readonly files: readonly FileDiff[];
  readonly split: boolean;
  readonly wrap: boolean;
  readonly folded: ReadonlyMap<string, boolean>;
  readonly forced: ReadonlySet<string>;
  readonly comments: ReadonlyMap<string, readonly CommentView[]>;
  readonly expansions: ReadonlyMap<string, Expansion>;
  readonly since: ReadonlyMap<string, FileDiff>;
  /** Whether a file that is not listed does not differ. */
  readonly isComplete: boolean;
}

interface Cached {
  readonly input: RowInput;
  readonly version: number;
  readonly block: Block;
}

interface Laid {
  readonly input: LayoutInput;
  readonly version: number;
  readonly blocks: readonly Block[];
}

const NONE: readonly CommentView[] = [];

export function useLayout(input: LayoutInput): {
  layout: Layout;
  shape: string;
  measure: (path: string, row: Row, height: number) => void;
} {
  const cache = useRef(new Map<string, Cached>());
  const measured = useRef(new Map<string, number>());
  const versions = useRef(new Map<string, number>());
  const [version, setVersion] = useState(0);
  const shape = `${input.split} ${input.wrap}`;
  const lastShape = useRef(shape);
  if (lastShape.current !== shape) {
    lastShape.current = shape;
    measured.current.clear();
    cache.current.clear();
  }
  const measure = useCallback((path: string, row: Row, height: number) => {
    if (heightOf(row, measured.current) === height) return;
    measured.current.set(row.key, height);
    versions.current.set(path, (versions.current.get(path) ?? 0) + 1);
    setVersion((before) => before + 1);
  }, []);
  const last = useRef<Laid>({ input, version: -1, blocks: [] });
  const layout = useMemo(() => {
    const before = last.current;
    const isMarkedAlike = version === before.version && haveSameMarks(before.input, input);
    const blocks = input.files.map((diff, n) => {
      // Of thousands of files, a patch that comes in touches a few.
      const known = isMarkedAlike ? before.blocks[n] : undefined;
      if (known?.diff === diff) return known;
      return cachedBlock(cache.current, rowInput(input, diff), measured.current, versions.current);
    });
    last.current = { input, version, blocks };
    const above = threadsAbove(input);
    return layoutOf(
      above.length > 0 ? [blockOf(null, above, measured.current), ...blocks] : blocks,
    );
  }, [input, version]);
  return { layout, shape, measure };
}

function haveSameMarks(one: LayoutInput, other: LayoutInput): boolean {
  const { files: _, ...marks } = one;
  return (Object.keys(marks) as (keyof typeof marks)[]).every((name) => one[name] === other[name]);
}

function rowInput(input: LayoutInput, diff: FileDiff): RowInput {
  const { path, viewed } = diff.file;
  return {
    diff,
    folded: input.folded.get(path) ?? viewed === "yes",
    forced: input.forced.has(path),
    split: input.split,
    comments: commentsOn(input, diff),
    expansion: input.expansions.get(path),
    since: input.since.get(path),
  };
}

/** Those on removed lines of a renamed file go by its old name. */
function commentsOn({ comments }: LayoutInput, { file }: FileDiff): readonly CommentView[] {
  const { path, old_path } = file;
  const here = comments.get(path) ?? NONE;
  const there = old_path && old_path !== path ? comments.get(old_path) : undefined;
  return there === undefined ? here : [...here, ...there];
}

function cachedBlock(
  cache: Map<string, Cached>,
  input: RowInput,
  measured: ReadonlyMap<string, number>,
  versions: ReadonlyMap<string, number>,
): Block {
  const { path } = input.diff.file;
  const version = versions.get(path) ?? 0;
  const known = cache.get(path);
  if (known !== undefined && isSame(known.input, input)) {
    if (known.version === version) return known.block;
    const block = blockOf(input.diff, known.block.rows, measured);
    cache.set(path, { input, version, block });
    return block;
  }
  const block = blockOf(input.diff, rowsOf(input), measured);
  cache.set(path, { input, version, block });
  return block;
}

function isSame(one: RowInput, other: RowInput): boolean {
  return (Object.keys(one) as (keyof RowInput)[]).every((name) => one[name] === other[name]);
}

/** Comments on the whole change, then those on files that differ no more. */
function threadsAbove({ files, comments, isComplete }: LayoutInput): Row[] {
  if (comments.size === 0) return [];
  const listed = new Set(files.flatMap(({ file }) => [file.path, file.old_path ?? file.path]));
  return [...comments]
    .filter(([path]) => path === "" || (isComplete && !listed.has(path)))
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([path, found]) => ({
      kind: "thread",
      key: ` thread ${path}`,
      comments: found,
      label: path,
    }));
}
