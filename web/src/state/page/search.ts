/** Finding by a few letters: every word must occur, and beginnings count most. */

import { defaultFilter } from "cmdk";

export interface Findable {
  readonly label: string;
  readonly more: string;
}

/** Of a word that stands only in what is said more: less than a name's beginning, more than scattered letters. */
const IN_MORE = 0.2;

/** The best matches first, at most `most`; all in their own order where nothing is asked. */
export function found<T extends Findable>(all: readonly T[], query: string, most: number): T[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return all.slice(0, most);
  return all
    .map((one) => ({ one, scores: words.map((word) => scoreOf(one, word)) }))
    .filter(({ scores }) => scores.every((score) => score > 0))
    .map(({ one, scores }) => ({ one, sum: scores.reduce((sum, score) => sum + score, 0) }))
    .sort((a, b) => b.sum - a.sum)
    .slice(0, most)
    .map(({ one }) => one);
}

function scoreOf({ label, more }: Findable, word: string): number {
  return Math.max(defaultFilter(label, word), more.toLowerCase().includes(word) ? IN_MORE : 0);
}
