/**
 * Where every row stands, in two steps: files below each other, rows within a file.
 *
 * A change touches one file's rows and the list of files, never all rows of a large diff.
 */

import type { FileDiff } from "../../state/diff/diffFiles";
import type { Row } from "./rows/rows";

export interface Block {
  readonly path: string;
  /** Null where no file stands, but comments. */
  readonly diff: FileDiff | null;
  readonly rows: readonly Row[];
  /** The top of every row within the block, and its height at the end. */
  readonly tops: Float64Array;
  /** The longest line, in characters. */
  readonly width: number;
}

export interface Layout {
  readonly blocks: readonly Block[];
  readonly tops: Float64Array;
  readonly height: number;
  readonly width: number;
}

export interface Placed {
  readonly row: Row;
  readonly path: string;
  readonly diff: FileDiff | null;
  readonly top: number;
}

export const LINE = 20;
const HEIGHTS: Readonly<Record<Row["kind"], number>> = {
  file: 36,
  gap: 28,
  line: LINE,
  pair: LINE,
  note: 56,
  waiting: LINE,
  thread: 120,
};

export function heightOf(row: Row, measured: ReadonlyMap<string, number>): number {
  if (row.kind === "waiting") return Math.min(row.lines, 400) * LINE;
  return measured.get(row.key) ?? HEIGHTS[row.kind];
}

/** Rows whose height only the browser knows. */
export function isMeasured(row: Row, wrap: boolean): boolean {
  const kinds = wrap ? ["thread", "note", "line", "pair"] : ["thread", "note"];
  return kinds.includes(row.kind);
}

export function blockOf(
  diff: FileDiff | null,
  rows: readonly Row[],
  measured: ReadonlyMap<string, number>,
): Block {
  const tops = new Float64Array(rows.length + 1);
  rows.forEach((row, n) => {
    tops[n + 1] = (tops[n] ?? 0) + heightOf(row, measured);
  });
  return { path: diff?.file.path ?? "", diff, rows, tops, width: widest(rows) };
}

/** A list that draws only what is in sight must be told its width. */
function widest(rows: readonly Row[]): number {
  let most = 0;
  for (const row of rows) if (row.kind === "line") most = Math.max(most, row.line.text.length);
  return Math.min(most, 4000);
}

export function layoutOf(blocks: readonly Block[]): Layout {
  const tops = new Float64Array(blocks.length + 1);
  let width = 0;
  blocks.forEach((block, n) => {
    tops[n + 1] = (tops[n] ?? 0) + (block.tops[block.rows.length] ?? 0);
    width = Math.max(width, block.width);
  });
  return { blocks, tops, height: tops[blocks.length] ?? 0, width };
}

/** The last place whose top is at or above `offset`. */
export function placeAt(tops: Float64Array, offset: number): number {
  let [low, high] = [0, tops.length - 2];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((tops[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return Math.max(low, 0);
}

/** The rows that touch a stretch of the whole height. */
export function rowsBetween(layout: Layout, from: number, to: number): Placed[] {
  const found: Placed[] = [];
  for (let b = placeAt(layout.tops, from); b < layout.blocks.length; b++) {
    const block = layout.blocks[b];
    const start = layout.tops[b] ?? 0;
    if (block === undefined || start > to) break;
    for (let r = placeAt(block.tops, from - start); r < block.rows.length; r++) {
      const row = block.rows[r];
      const top = start + (block.tops[r] ?? 0);
      if (row === undefined || top > to) break;
      found.push({ row, path: block.path, diff: block.diff, top });
    }
  }
  return found;
}

export function blockTop(layout: Layout, path: string): number | null {
  const place = layout.blocks.findIndex((block) => block.path === path);
  return place < 0 ? null : (layout.tops[place] ?? 0);
}

export function rowTop(layout: Layout, path: string, key: string): number | null {
  const place = layout.blocks.findIndex((block) => block.path === path);
  const block = layout.blocks[place];
  const row = block?.rows.findIndex((other) => other.key === key) ?? -1;
  if (block === undefined || row < 0) return null;
  return (layout.tops[place] ?? 0) + (block.tops[row] ?? 0);
}
