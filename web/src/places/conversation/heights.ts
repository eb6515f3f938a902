/** How high a row will be, near enough that scrolling far does not jump. */

import type { Entry } from "./entries";

const LINE = 20;
const LINE_LETTERS = 88;
const LONGEST = 4000;

export function heightOf(entry: Entry | undefined): number {
  if (entry === undefined) return 40;
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
  let lines = 0;
  for (const line of text.slice(0, LONGEST).split("\n")) {
    lines += Math.max(1, Math.ceil(line.length / LINE_LETTERS));
  }
  return lines;
}
