/** The layout of all files; only files whose input changed are laid out again. */

import { useCallback, useMemo, useRef, useState } from "react";
import type { CommentView } from "../../api/types.gen";
import type { FileDiff } from "../../state/diffs";
import type { Expansion } from "./context";
import { type Block, blockOf, type Layout, layoutOf } from "./layout";
import { type RowInput, rowsOf } from "./rows";

export interface LayoutInput {
  readonly files: readonly FileDiff[];
  readonly split: boolean;
  readonly wrap: boolean;
  readonly folded: ReadonlyMap<string, boolean>;
  readonly forced: ReadonlySet<string>;
  readonly comments: ReadonlyMap<string, readonly CommentView[]>;
  readonly expansions: ReadonlyMap<string, Expansion>;
  readonly since: ReadonlyMap<string, FileDiff>;
}

interface Cached {
  readonly input: RowInput;
  readonly version: number;
  readonly block: Block;
}

const NONE: readonly CommentView[] = [];

export function useLayout(input: LayoutInput): {
  layout: Layout;
  measure: (path: string, key: string, height: number) => void;
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
  const measure = useCallback((path: string, key: string, height: number) => {
    if (measured.current.get(key) === height) return;
    measured.current.set(key, height);
    versions.current.set(path, (versions.current.get(path) ?? 0) + 1);
    setVersion((before) => before + 1);
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a measured row changes the layout
  const layout = useMemo(() => {
    const blocks = input.files.map((diff) =>
      cachedBlock(cache.current, rowInput(input, diff), measured.current, versions.current),
    );
    const whole = input.comments.get("");
    return layoutOf(whole ? [wholeBlock(whole, measured.current), ...blocks] : blocks);
  }, [input, version]);
  return { layout, measure };
}

function rowInput(input: LayoutInput, diff: FileDiff): RowInput {
  const { path, viewed } = diff.file;
  return {
    diff,
    folded: input.folded.get(path) ?? viewed === "yes",
    forced: input.forced.has(path),
    split: input.split,
    comments: input.comments.get(path) ?? NONE,
    expansion: input.expansions.get(path),
    since: input.since.get(path),
  };
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
    const block = blockOf(path, known.block.rows, measured);
    cache.set(path, { input, version, block });
    return block;
  }
  const block = blockOf(path, rowsOf(input), measured);
  cache.set(path, { input, version, block });
  return block;
}

function isSame(one: RowInput, other: RowInput): boolean {
  return (Object.keys(one) as (keyof RowInput)[]).every((name) => one[name] === other[name]);
}

function wholeBlock(
  comments: readonly CommentView[],
  measured: ReadonlyMap<string, number>,
): Block {
  return blockOf("", [{ kind: "thread", key: " whole", comments, label: "" }], measured);
}
