/** Finding by a few letters: every word must occur, and beginnings count most. */

export interface Findable {
  readonly label: string;
  readonly more: string;
}

/** The best matches first, at most `most`; all in their own order where nothing is asked. */
export function found<T extends Findable>(all: readonly T[], query: string, most: number): T[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return all.slice(0, most);
  return all
    .map((one) => ({ one, score: scoreOf(one, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, most)
    .map(({ one }) => one);
}

function scoreOf({ label, more }: Findable, words: readonly string[]): number {
  const [name, rest] = [label.toLowerCase(), more.toLowerCase()];
  let sum = 0;
  for (const word of words) {
    const score = wordScore(name, word) || (rest.includes(word) ? 1 : scattered(name, word));
    if (score === 0) return 0;
    sum += score;
  }
  return sum;
}

function wordScore(name: string, word: string): number {
  const at = name.indexOf(word);
  if (at < 0) return 0;
  const begins = at === 0 || /[^a-z0-9]/.test(name[at - 1] ?? "");
  return at === 0 ? 8 : begins ? 6 : 3;
}

/** The letters in order, with gaps: `nsn` finds "new session". */
function scattered(name: string, word: string): number {
  let at = -1;
  for (const letter of word) {
    at = name.indexOf(letter, at + 1);
    if (at < 0) return 0;
  }
  return 0.5;
}
