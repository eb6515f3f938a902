/** What in a line of a terminal leads somewhere: web addresses, and files with a line. */

export interface WebLink {
  readonly kind: "web";
  readonly url: string;
}
export interface FileLink {
  readonly kind: "file";
  /** As the program wrote it. */
  readonly path: string;
  readonly line: number;
}
export type Found = (WebLink | FileLink) & { readonly start: number; readonly end: number };

const WEB = /\bhttps?:\/\/[^\s"'<>`{}|\\^]+/g;
const PYTHON = /File "(?<path>[^"]+)", line (?<line>\d+)/g;
const NAME = String.raw`[\w@+.~[\]-]+`;
/** With a slash or an ending, then its line: `a/b.ts:12:5`, `b.ts(12,5)`. */
const NAMED = new RegExp(
  `(?<![\\w/.:-])(?<path>\\/?(?:${NAME}\\/)*${NAME})(?::(?<line>\\d+)(?::\\d+)?|\\((?<paren>\\d+)(?:,\\d+)?\\))`,
  "g",
);
/** More of one line is not looked through. */
const LONGEST = 4096;

export function linksIn(line: string): Found[] {
  const text = line.slice(0, LONGEST);
  const found: Found[] = [];
  const add = (one: Found) => {
    if (!found.some(({ start, end }) => one.start < end && start < one.end)) found.push(one);
  };
  for (const match of text.matchAll(WEB)) {
    const url = trimmed(match[0]);
    add({ kind: "web", url, start: match.index, end: match.index + url.length });
  }
  for (const pattern of [PYTHON, NAMED]) {
    for (const match of text.matchAll(pattern)) {
      const { path = "", line: number, paren } = match.groups ?? {};
      if (pattern === NAMED && !isFile(path)) continue;
      const start = match.index;
      add({
        kind: "file",
        path,
        line: Number(number ?? paren),
        start,
        end: start + match[0].length,
      });
    }
  }
  return found.sort((a, b) => a.start - b.start);
}

/** Without what ends a sentence rather than an address. */
function trimmed(url: string): string {
  let end = url.length;
  for (; end > 0; end--) {
    const last = url[end - 1] ?? "";
    const head = url.slice(0, end);
    const unopened = last === ")" && count(head, ")") > count(head, "(");
    const bracket = last === "]" && count(head, "]") > count(head, "[");
    if (!".,;:!?".includes(last) && !unopened && !bracket) break;
  }
  return url.slice(0, end);
}

const count = (text: string, letter: string): number => text.split(letter).length - 1;

/** A time, a version or a host with its port is none. */
const isFile = (path: string): boolean => path.includes("/") || /[^.\d]\.[a-z_]\w*$/i.test(path);

/**
 * The file of the worktree that is meant: a program names it from where it stands, which may be a
 * folder further in.
 */
export function meantPath(named: string, worktree: string, paths: readonly string[]): string {
  const inside = named.startsWith(`${worktree}/`) ? named.slice(worktree.length + 1) : named;
  const path = inside.replace(/^(?:\.\/)+/, "");
  if (paths.includes(path)) return path;
  const ending = `/${path.replace(/^(?:\.\.\/)+/, "")}`;
  const fitting = paths.filter((one) => `/${one}`.endsWith(ending));
  return fitting.length === 1 ? (fitting[0] ?? path) : path;
}
