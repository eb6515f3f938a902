/** Which lines a person means, and what they say. */

import type { Side } from "../../../api/types.gen";
import type { FileDiff } from "../../../state/diff/diffFiles";
import type { Place } from "../actions";
import type { Placed } from "../layout";
import type { Range } from "../useMarks";
import { placeOf } from "./LineRow";

/** The text of the lines as it is on screen; nothing where not all of it is. */
export function textBetween(
  diff: FileDiff | undefined,
  side: Side,
  start: number,
  end: number,
): string[] {
  const lines = (diff?.patch.hunks ?? [])
    .flatMap((hunk) => hunk.lines)
    .filter((line) => {
      const number = side === "old" ? line.before : line.after;
      return number !== null && number >= start && number <= end;
    });
  return lines.length === end - start + 1 ? lines.map(({ text }) => text) : [];
}

/** Where a comment on the row would stand. */
export function placeOfRow({ row, path }: Placed): Place | null {
  if (row.kind === "line") return placeOf(path, row.line);
  if (row.kind !== "pair") return null;
  const line = row.right ?? row.left;
  return line === null ? null : placeOf(path, line);
}

export function isIn(range: Range | null, placed: Placed): boolean {
  const place = range === null ? null : placeOfRow(placed);
  if (range === null || place === null) return false;
  const { from, to } = range;
  if (place.path !== from.path || place.side !== from.side) return false;
  return place.line >= Math.min(from.line, to.line) && place.line <= Math.max(from.line, to.line);
}
