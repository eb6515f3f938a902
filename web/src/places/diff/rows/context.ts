/** Unchanged lines between the hunks: hidden at first, shown as a person asks for them. */

import type { Hunk, PatchLine } from "../../../state/diff/patch";

export interface Gap {
  /** The first and last hidden line of the old file; the last is 0 where its length is not known. */
  readonly oldStart: number;
  readonly oldEnd: number;
  /** What to add to an old line's number to get the new one. */
  readonly shift: number;
  /** How many lines are still hidden; -1 where nobody knows yet. */
  readonly hidden: number;
}

export interface Expansion {
  readonly lines: readonly string[];
  /** By the gap's first line: how many lines show at its top and bottom. */
  readonly shown: Readonly<Record<number, { readonly top: number; readonly bottom: number }>>;
}

export const STEP = 20;

/** One gap before every hunk, where there is one, and one after the last. */
export function gapsOf(
  hunks: readonly Hunk[],
  expansion: Expansion | undefined,
): (Gap | undefined)[] {
  const gaps: (Gap | undefined)[] = [];
  let next = 1;
  let shift = 0;
  for (const hunk of hunks) {
    const first = hunk.lines.find(({ before }) => before !== null)?.before ?? hunk.beforeStart + 1;
    gaps.push(gap(next, first - 1, shift));
    const old = hunk.lines.filter(({ kind }) => kind !== "added").length;
    const fresh = hunk.lines.filter(({ kind }) => kind !== "removed").length;
    next = first + old;
    shift += fresh - old;
  }
  const last = expansion?.lines.length ?? 0;
  gaps.push(
    expansion === undefined
      ? { oldStart: next, oldEnd: 0, shift, hidden: -1 }
      : gap(next, last, shift),
  );
  return gaps;
}

function gap(oldStart: number, oldEnd: number, shift: number): Gap | undefined {
  const hidden = oldEnd - oldStart + 1;
  return hidden > 0 ? { oldStart, oldEnd, shift, hidden } : undefined;
}

export function revealed(
  gap: Gap,
  expansion: Expansion | undefined,
): { above: PatchLine[]; hidden: number; below: PatchLine[] } {
  const shown = expansion?.shown[gap.oldStart];
  if (expansion === undefined || shown === undefined || gap.hidden < 0) {
    return { above: [], hidden: gap.hidden, below: [] };
  }
  const top = Math.min(shown.top, gap.hidden);
  const bottom = Math.min(shown.bottom, gap.hidden - top);
  const part = (from: number, count: number) =>
    Array.from({ length: count }, (_, n) => lineAt(expansion, gap, from + n));
  return {
    above: part(gap.oldStart, top),
    hidden: gap.hidden - top - bottom,
    below: part(gap.oldEnd - bottom + 1, bottom),
  };
}

function lineAt({ lines }: Expansion, { shift }: Gap, number: number): PatchLine {
  const text = lines[number - 1] ?? "";
  return { kind: "same", text, before: number, after: number + shift, mark: null };
}

export function splitText(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
