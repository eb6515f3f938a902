/** How high a row will be, near enough that scrolling far does not jump. */

import type { Entry } from "./entries";

const LINE = 20;
const LINE_LETTERS = 88;
const LONGEST = 2000;

/** Asked for every row, again and again while one scrolls; an entry's answer never changes. */
const known = new WeakMap<Entry, number>();

export function heightOf(entry: Entry | undefined): number {
  if (entry === undefined) return 40;
  const before = known.get(entry);
  if (before !== undefined) return before;
  const height = reckoned(entry);
  known.set(entry, height);
  return height;
}

function reckoned(entry: Entry): number {
  if (entry.kind === "steps") return 28;
  if (entry.kind === "saying") return 10 + linesOf(entry.saying.text) * LINE;
  const { item, open } = entry;
  switch (item.kind) {
    case "agent":
      return 12 + linesOf(item.text) * LINE;
    case "user":
      return 28 + Math.min(12, linesOf(item.text)) * LINE;
    case "tool":
      return open ? 160 : 27;
    case "thought":
      return open ? 24 + linesOf(item.text) * LINE : 24;
    case "attention":
      return item.item.resolved_at === null ? 220 : 30;
    default:
      return 30;
  }
}

function linesOf(text: string): number {
  const end = Math.min(text.length, LONGEST);
  let lines = 0;
  for (let at = 0; at <= end; ) {
    const next = text.indexOf("\n", at);
    const stop = next < 0 || next > end ? end : next;
    lines += Math.max(1, Math.ceil((stop - at) / LINE_LETTERS));
    at = stop + 1;
  }
  return lines;
}
