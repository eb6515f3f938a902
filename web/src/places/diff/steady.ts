/** Keeps what a person reads where it is while files and lines around it come and go. */

import { type Block, type Layout, placeAt } from "./layout";
import type { Row } from "./rows/rows";

/** In a file that was written anew, no line need be sought for long. */
const MOST_TRIED = 40;

/** Where to scroll so that the line at the top of the sight does not move. */
export function steadyTop(before: Layout, after: Layout, top: number): number {
  if (top <= 0 || before.blocks.length === 0) return top;
  const place = placeAt(before.tops, top);
  const old = before.blocks[place];
  if (old === undefined) return top;
  const start = before.tops[place] ?? 0;
  const fresh = after.blocks.findIndex((block) => block.path === old.path);
  if (fresh < 0) return after.tops[nextBlock(before, after, place)] ?? top;
  const block = after.blocks[fresh];
  if (block === undefined) return top;
  const base = after.tops[fresh] ?? 0;
  if (block === old) return base + (top - start);
  return base + within(old, block, top - start);
}

/** A file that is gone leaves its place to the next one that is still there. */
function nextBlock(before: Layout, after: Layout, place: number): number {
  const places = new Map(after.blocks.map((block, n) => [block.path, n]));
  for (let n = place + 1; n < before.blocks.length; n++) {
    const found = places.get(before.blocks[n]?.path ?? "");
    if (found !== undefined) return found;
  }
  return after.blocks.length;
}

function within(old: Block, fresh: Block, offset: number): number {
  const first = placeAt(old.tops, offset);
  for (let n = first; n < Math.min(old.rows.length, first + MOST_TRIED); n++) {
    const row = old.rows[n];
    const found = row === undefined ? -1 : sameRow(old, fresh, n);
    if (found >= 0) return (fresh.tops[found] ?? 0) + offset - (old.tops[n] ?? 0);
  }
  return Math.min(offset, fresh.tops[fresh.rows.length] ?? 0);
}

/** The row with the same text and the most equal neighbours, the nearest among equals. */
function sameRow(old: Block, fresh: Block, place: number): number {
  const wanted = textOf(old.rows[place]);
  let best = -1;
  let most = -1;
  fresh.rows.forEach((row, n) => {
    if (textOf(row) !== wanted) return;
    const near = 1 / (2 + Math.abs(n - place));
    const score = neighbours(old, fresh, place, n) + near;
    if (score > most) [best, most] = [n, score];
  });
  return best;
}

function neighbours(old: Block, fresh: Block, a: number, b: number): number {
  return [-2, -1, 1, 2].filter((by) => {
    const text = textOf(old.rows[a + by]);
    return text !== "" && text === textOf(fresh.rows[b + by]);
  }).length;
}

function textOf(row: Row | undefined): string {
  if (row === undefined) return "";
  if (row.kind === "line") return `${row.line.kind}:${row.line.text}`;
  if (row.kind === "pair") return `${row.left?.text}|${row.right?.text}`;
  return row.kind === "gap" ? "gap" : row.key;
}
