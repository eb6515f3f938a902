/** Word by word, what differs between two lines that stand against each other. */

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
  const [inA, inB] = shared(a, b);
  const kept = a.reduce((sum, word, n) => sum + (inA[n] ? word.trim().length : 0), 0);
  if (kept * 3 < Math.min(one.trim().length, other.trim().length)) return [[], []];
  return [spans(a, inA), spans(b, inB)];
}

function words(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}

/** Which words belong to a longest common subsequence. */
function shared(a: readonly string[], b: readonly string[]): [boolean[], boolean[]] {
  const width = b.length + 1;
  const table = new Uint16Array((a.length + 1) * width);
  const at = (n: number, m: number) => table[n * width + m] ?? 0;
  for (let n = a.length - 1; n >= 0; n--) {
    for (let m = b.length - 1; m >= 0; m--) {
      table[n * width + m] =
        a[n] === b[m] ? at(n + 1, m + 1) + 1 : Math.max(at(n + 1, m), at(n, m + 1));
    }
  }
  const [inA, inB] = [a.map(() => false), b.map(() => false)];
  for (let n = 0, m = 0; n < a.length && m < b.length; ) {
    if (a[n] === b[m]) {
      inA[n++] = true;
      inB[m++] = true;
    } else if (at(n + 1, m) >= at(n, m + 1)) n++;
    else m++;
  }
  return [inA, inB];
}

/** Unshared words as spans; one that only a space parts from the next joins it. */
function spans(all: readonly string[], isShared: readonly boolean[]): Span[] {
  const found: [number, number][] = [];
  let at = 0;
  all.forEach((word, n) => {
    const last = found.at(-1);
    const gap = last === undefined ? "" : all.slice(0, n).join("").slice(last[1], at);
    if (!isShared[n]) {
      if (last !== undefined && gap.trim() === "") last[1] = at + word.length;
      else found.push([at, at + word.length]);
    }
    at += word.length;
  });
  return found;
}
