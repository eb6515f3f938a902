/** What a person is about to name in a message: a file after `@`, a command after a first `/`. */

export interface Asked {
  readonly kind: "file" | "command";
  readonly query: string;
  readonly from: number;
  readonly to: number;
}

/** What stands before the caret and asks to be completed. */
export function askedAt(text: string, caret: number): Asked | null {
  const before = text.slice(0, caret);
  const command = /^\/([\w:.-]*)$/.exec(before);
  if (command) return { kind: "command", query: command[1] ?? "", from: 0, to: caret };
  const file = /(?:^|[\s([{"'`])@([^\s@]*)$/.exec(before);
  if (!file) return null;
  const query = file[1] ?? "";
  return { kind: "file", query, from: caret - query.length - 1, to: caret };
}

/** The text with the choice in place, and where the caret is then. */
export function completed(text: string, asked: Asked, choice: string): [string, number] {
  const word = `${asked.kind === "file" ? "@" : "/"}${choice} `;
  const after = text.slice(asked.to).replace(/^ /, "");
  return [text.slice(0, asked.from) + word + after, asked.from + word.length];
}

/** The paths that fit best: in the name before in the directory, short before long. */
export function bestPaths(paths: readonly string[], query: string, most: number): string[] {
  const wanted = query.toLowerCase();
  if (wanted === "") return paths.slice(0, most);
  const scored: { path: string; score: number }[] = [];
  for (const path of paths) {
    const score = scoreOf(path.toLowerCase(), wanted);
    if (score > 0) scored.push({ path, score });
  }
  scored.sort((a, b) => b.score - a.score || a.path.length - b.path.length);
  return scored.slice(0, most).map(({ path }) => path);
}

function scoreOf(path: string, wanted: string): number {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (name.startsWith(wanted)) return 5;
  if (name.includes(wanted)) return 4;
  if (path.startsWith(wanted)) return 3;
  if (path.includes(wanted)) return 2;
  return isScattered(path, wanted) ? 1 : 0;
}

function isScattered(path: string, wanted: string): boolean {
  let at = -1;
  for (const letter of wanted) {
    at = path.indexOf(letter, at + 1);
    if (at < 0) return false;
  }
  return true;
}
