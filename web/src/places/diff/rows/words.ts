/** Word by word, what differs between two lines that stand against each other. */

import { type ChangeObject, diffArrays } from "diff";

export type Span = readonly [number, number];

const MOST_WORDS = 160;
const cache = new WeakMap<object, readonly Span[]>();

/** The parts of `line` that its counterpart lacks; nothing where they share hardly anything. */
export function marksOf(line: { text: string }, against: { text: string } | null): readonly Span[] {
  if (against === null) return [];
  const known = cache.get(line);
  if (known !== undefined) return known;
  const [mine, theirs] = differences(line.text, against.text);
  cache.set(line, mine);
  cache.set(against, theirs);
  return mine;
}

export function differences(
  one: string,
  other: string,
): readonly [readonly Span[], readonly Span[]] {
  const [a, b] = [words(one), words(other)];
  if (a.length > MOST_WORDS || b.length > MOST_WORDS) return [[], []];
  const parts = diffArrays(a, b);
  const shared = parts.filter(({ added, removed }) => !added && !removed);
  const kept = shared
    .flatMap(({ value }) => value)
    .join("")
    .replace(/\s/g, "").length;
  if (kept * 3 < Math.min(one.trim().length, other.trim().length)) return [[], []];
  return [
    spans(parts.filter(({ added }) => !added)),
    spans(parts.filter(({ removed }) => !removed)),
  ];
}

function words(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}

/** Unshared words as spans; one that only a space parts from the next joins it. */
function spans(parts: readonly ChangeObject<string[]>[]): Span[] {
  const found: [number, number][] = [];
  let at = 0;
  let gap = "";
  for (const { value, added, removed } of parts) {
    const text = value.join("");
    const end = at + text.length;
    const last = found.at(-1);
    if (!added && !removed) gap = text;
    else if (last !== undefined && gap.trim() === "") last[1] = end;
    else found.push([at, end]);
    at = end;
  }
  return found;
}
