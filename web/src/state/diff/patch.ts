/** A unified patch, taken apart into files, hunks and lines. */

export interface PatchLine {
  readonly kind: "same" | "added" | "removed";
  readonly text: string;
  readonly before: number | null;
  readonly after: number | null;
  /** The changed part of a line that stands against another, as [from, to). */
  readonly mark: readonly [number, number] | null;
}

export interface Hunk {
  readonly beforeStart: number;
  readonly afterStart: number;
  readonly title: string;
  readonly lines: readonly PatchLine[];
}

export interface FilePatch {
  readonly path: string;
  readonly hunks: readonly Hunk[];
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@ ?(.*)$/;

export function parsePatch(patch: string): FilePatch[] {
  return patch
    .split(/^(?=diff --git )/m)
    .filter((part) => part.startsWith("diff --git "))
    .map(parseFile);
}

function parseFile(part: string): FilePatch {
  const lines = part.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const first = lines.findIndex((line) => line.startsWith("@@ "));
  const header = first < 0 ? lines : lines.slice(0, first);
  return { path: pathOf(header), hunks: first < 0 ? [] : parseHunks(lines.slice(first)) };
}

function pathOf(header: readonly string[]): string {
  const named = (prefix: string) => {
    const line = header.find((candidate) => candidate.startsWith(prefix));
    return line === undefined ? null : unquoted(line.slice(prefix.length).replace(/\t$/, ""));
  };
  const after = named("+++ ");
  if (after !== null && after !== "/dev/null") return after.replace(/^b\//, "");
  const renamed = named("rename to ");
  if (renamed !== null) return renamed;
  const before = named("--- ");
  if (before !== null && before !== "/dev/null") return before.replace(/^a\//, "");
  return pathOfGitLine(header[0] ?? "");
}

/** The path of a file without hunks: both halves of "a/PATH b/PATH" are as long. */
function pathOfGitLine(line: string): string {
  const rest = line.slice("diff --git ".length);
  const half = rest.slice(Math.floor(rest.length / 2) + 1);
  return unquoted(half).replace(/^b\//, "");
}

/** A path as git quotes it when it holds unusual bytes. */
function unquoted(path: string): string {
  if (!path.startsWith('"') || !path.endsWith('"')) return path;
  const bytes: number[] = [];
  const body = path.slice(1, -1).replace(/\\([0-7]{3}|.)/gu, (_, code: string) => {
    bytes.push(/^[0-7]{3}$/.test(code) ? Number.parseInt(code, 8) : escapeCode(code));
    return "\0";
  });
  const encoder = new TextEncoder();
  const parts = body.split("\0").flatMap((text, place) => {
    const escaped = bytes[place];
    return [...encoder.encode(text), ...(escaped === undefined ? [] : [escaped])];
  });
  return new TextDecoder().decode(new Uint8Array(parts));
}

function escapeCode(letter: string): number {
  const special: Record<string, number> = { n: 10, t: 9, r: 13, a: 7, b: 8, f: 12, v: 11 };
  return special[letter] ?? letter.charCodeAt(0);
}

function parseHunks(lines: readonly string[]): Hunk[] {
  const hunks: Hunk[] = [];
  let start = 0;
  for (let end = 1; end <= lines.length; end++) {
    if (end === lines.length || HUNK.test(lines[end] ?? "")) {
      hunks.push(parseHunk(lines.slice(start, end)));
      start = end;
    }
  }
  return hunks;
}

function parseHunk([header = "", ...body]: readonly string[]): Hunk {
  const [, beforeText, afterText, title = ""] = HUNK.exec(header) ?? [];
  const beforeStart = Number(beforeText);
  const afterStart = Number(afterText);
  let before = beforeStart;
  let after = afterStart;
  const lines: PatchLine[] = [];
  for (const line of body) {
    const text = line.slice(1);
    if (line.startsWith("+")) {
      lines.push({ kind: "added", text, before: null, after: after++, mark: null });
    } else if (line.startsWith("-")) {
      lines.push({ kind: "removed", text, before: before++, after: null, mark: null });
    } else if (!line.startsWith("\\")) {
      lines.push({ kind: "same", text, before: before++, after: after++, mark: null });
    }
  }
  return { beforeStart, afterStart, title, lines: marked(lines) };
}

/** Pairs removed lines with the added ones that follow, and marks where they differ. */
export function marked(lines: PatchLine[]): PatchLine[] {
  for (let start = 0; start < lines.length; ) {
    const removed = runLength(lines, start, "removed");
    const added = runLength(lines, start + removed, "added");
    for (let n = 0; n < Math.min(removed, added) && removed === added; n++) {
      markPair(lines, start + n, start + removed + n);
    }
    start += Math.max(removed + added, 1);
  }
  return lines;
}

function runLength(lines: readonly PatchLine[], start: number, kind: PatchLine["kind"]): number {
  let end = start;
  while (lines[end]?.kind === kind) end++;
  return end - start;
}

function markPair(lines: PatchLine[], old: number, fresh: number): void {
  const before = lines[old];
  const after = lines[fresh];
  if (before === undefined || after === undefined) return;
  const spans = differing(before.text, after.text);
  if (spans === null) return;
  lines[old] = { ...before, mark: spans[0] };
  lines[fresh] = { ...after, mark: spans[1] };
}

type Span = readonly [number, number];

/** The parts in which two lines differ, grown to whole words; null where hardly anything is shared. */
export function differing(before: string, after: string): readonly [Span, Span] | null {
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  while (head > 0 && isWord(before[head - 1]) && isWord(joined(before, after, head))) head--;
  while (tail > 0 && isWord(before.at(-tail)) && isWord(joined(before, after, -tail - 1))) tail--;
  const shared =
    before.slice(0, head).trim().length + before.slice(before.length - tail).trim().length;
  if (shared * 3 < most) return null;
  return [
    [head, before.length - tail],
    [head, after.length - tail],
  ];
}

/** The letters of both lines at a place: a word goes on if it does in either. */
function joined(before: string, after: string, place: number): string {
  return (before.at(place) ?? "") + (after.at(place) ?? "");
}

function isWord(letters: string | undefined): boolean {
  return letters !== undefined && /[\p{L}\p{N}_]/u.test(letters);
}
