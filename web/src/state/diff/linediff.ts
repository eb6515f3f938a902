/** The lines in which two texts differ, as a patch would show them. */

import { diffArrays } from "diff";
import { marked, type PatchLine } from "./patch";

/** Beyond so many steps of difference the texts count as wholly replaced. */
const MOST_STEPS = 1000;

export function lineDiff(before: string, after: string): PatchLine[] {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  const parts = diffArrays(old, fresh, { maxEditLength: MOST_STEPS }) ?? [
    { value: old, removed: true, added: false },
    { value: fresh, removed: false, added: true },
  ];
  let [a, b] = [0, 0];
  const lines = parts.flatMap(({ value, added, removed }) =>
    value.map((text): PatchLine => {
      const [was, is] = [added ? null : ++a, removed ? null : ++b];
      const kind = added ? "added" : removed ? "removed" : "same";
      return { kind, text, before: was, after: is, mark: null };
    }),
  );
  return marked(lines);
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}
