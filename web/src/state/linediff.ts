/** The lines in which two texts differ, as a patch would show them. */

import { marked, type PatchLine } from "./patch";

/** Beyond so many steps of difference the texts count as wholly replaced. */
const MOST_STEPS = 400;

export function lineDiff(before: string, after: string): PatchLine[] {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  let head = 0;
  while (head < old.length && head < fresh.length && old[head] === fresh[head]) head++;
  let tail = 0;
  const most = Math.min(old.length, fresh.length) - head;
  while (tail < most && old.at(-1 - tail) === fresh.at(-1 - tail)) tail++;
  const kept = common(old.slice(head, old.length - tail), fresh.slice(head, fresh.length - tail));
  const pairs = [
    ...range(head, 0, 0),
    ...kept.map(([a, b]) => [a + head, b + head] as const),
    ...range(tail, old.length - tail, fresh.length - tail),
  ];
  return marked(written(old, fresh, pairs));
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

type Pair = readonly [number, number];

function range(length: number, a: number, b: number): Pair[] {
  return Array.from({ length }, (_, n) => [a + n, b + n] as const);
}

/** The longest run of shared lines, by Myers' greedy search over furthest-reaching paths. */
function common(old: readonly string[], fresh: readonly string[]): Pair[] {
  const reach = new Map<number, number>([[1, 0]]);
  const trail: Map<number, number>[] = [];
  for (let steps = 0; steps <= Math.min(old.length + fresh.length, MOST_STEPS); steps++) {
    trail.push(new Map(reach));
    for (let k = -steps; k <= steps; k += 2) {
      let x = startOf(reach, k, steps);
      while (x < old.length && x - k < fresh.length && old[x] === fresh[x - k]) x++;
      reach.set(k, x);
      if (x >= old.length && x - k >= fresh.length) return walkBack(trail, old.length, k);
    }
  }
  return [];
}

function startOf(reach: ReadonlyMap<number, number>, k: number, steps: number): number {
  const down = reach.get(k + 1) ?? -1;
  const right = reach.get(k - 1) ?? -1;
  return k === -steps || (k !== steps && right < down) ? down : right + 1;
}

function walkBack(trail: readonly Map<number, number>[], end: number, diagonal: number): Pair[] {
  const found: Pair[] = [];
  let x = end;
  let k = diagonal;
  for (let steps = trail.length - 1; steps >= 0; steps--) {
    const reach = trail[steps] ?? new Map();
    const start = startOf(reach, k, steps);
    while (x > start) found.push([--x, x - k]);
    if (steps === 0) break;
    const down = start === (reach.get(k + 1) ?? -1) && start !== (reach.get(k - 1) ?? -2) + 1;
    k = k === -steps || (k !== steps && down) ? k + 1 : k - 1;
    x = reach.get(k) ?? 0;
  }
  return found.reverse();
}

function written(
  old: readonly string[],
  fresh: readonly string[],
  pairs: readonly Pair[],
): PatchLine[] {
  const lines: PatchLine[] = [];
  let [a, b] = [0, 0];
  for (const [nextA, nextB] of [...pairs, [old.length, fresh.length] as const]) {
    for (; a < nextA; a++) {
      lines.push({ kind: "removed", text: old[a] ?? "", before: a + 1, after: null, mark: null });
    }
    for (; b < nextB; b++) {
      lines.push({ kind: "added", text: fresh[b] ?? "", before: null, after: b + 1, mark: null });
    }
    if (a < old.length && b < fresh.length) {
      lines.push({ kind: "same", text: old[a++] ?? "", before: a, after: ++b, mark: null });
    }
  }
  return lines;
}
