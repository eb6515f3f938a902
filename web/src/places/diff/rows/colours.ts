/**
 * The colours of a line. Where a hunk begins with the file it is coloured as one text, so that what
 * spans lines (a comment, a long string) keeps its colour; elsewhere that would begin in the dark,
 * and each line is coloured by itself.
 */

import { canColour, type Piece, pieces, wholeLines } from "../../../parts/code/highlight";
import type { Hunk, PatchLine } from "../../../state/diff/patch";

const MOST_LINES = 300;
const MOST_LETTERS = 16_000;
const known = new WeakMap<PatchLine, readonly Piece[]>();

export function colours(line: PatchLine, hunk: Hunk | null, lang: string): readonly Piece[] {
  if (hunk === null || !canColour(lang) || !isWhole(hunk)) return pieces(line.text, lang);
  if (!known.has(line)) colourHunk(hunk, lang);
  return known.get(line) ?? pieces(line.text, lang);
}

function isWhole({ beforeStart, afterStart, lines }: Hunk): boolean {
  return Math.max(beforeStart, afterStart) === 1 && lines.length <= MOST_LINES;
}

function colourHunk({ lines }: Hunk, lang: string): void {
  for (const side of ["removed", "added"] as const) {
    const shown = lines.filter(({ kind }) => kind === side || kind === "same");
    const text = shown.map((line) => line.text).join("\n");
    if (text.length > MOST_LETTERS) continue;
    const coloured = wholeLines(text, lang);
    shown.forEach((line, n) => {
      const found = coloured[n];
      if (found !== undefined) known.set(line, found);
    });
  }
}
