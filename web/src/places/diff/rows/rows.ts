/** One file of a diff as rows, in the order in which they are read. */

import type { CommentView, Side } from "../../../api/types.gen";
import type { FileDiff } from "../../../state/diff/diffFiles";
import { MOST_LINES } from "../../../state/diff/diffs";
import type { Hunk, PatchLine } from "../../../state/diff/patch";
import { type Expansion, type Gap, gapsOf, revealed } from "./context";

export type Row = { readonly key: string } & (
  | { readonly kind: "file"; readonly diff: FileDiff; readonly folded: boolean }
  | { readonly kind: "gap"; readonly gap: Gap; readonly title: string }
  | {
      readonly kind: "line";
      readonly line: PatchLine;
      readonly pair: PatchLine | null;
      readonly hunk: Hunk | null;
      /** The first changed line of a group, from which it can be reverted. */
      readonly head: Group | null;
    }
  | {
      readonly kind: "pair";
      readonly left: PatchLine | null;
      readonly right: PatchLine | null;
      readonly hunk: Hunk | null;
      readonly head: Group | null;
    }
  | { readonly kind: "note"; readonly note: Note }
  | { readonly kind: "waiting"; readonly lines: number }
  | { readonly kind: "thread"; readonly comments: readonly CommentView[]; readonly label: string }
);

export type LineRow = Extract<Row, { kind: "line" }>;
export type PairRow = Extract<Row, { kind: "pair" }>;
export type Note = "binary" | "image" | "large" | "generated" | "same" | "lfs" | "mode";

/** Changed lines next to each other: the smallest thing that can be put back. */
export interface Group {
  readonly old_start: number;
  readonly old_count: number;
  readonly new_start: number;
  readonly new_count: number;
}

export interface RowInput {
  readonly diff: FileDiff;
  readonly folded: boolean;
  /** Shown although it is generated or large. */
  readonly forced: boolean;
  readonly split: boolean;
  readonly comments: readonly CommentView[];
  readonly expansion: Expansion | undefined;
  /** What changed since it was viewed, where that is shown instead. */
  readonly since: FileDiff | undefined;
}

export function rowsOf(input: RowInput): Row[] {
  const { path } = input.diff.file;
  const head: Row = { kind: "file", key: `${path} file`, diff: input.diff, folded: input.folded };
  if (input.folded) return [head];
  const body = bodyOf(input);
  return [head, ...withThreads(path, body, input.comments)];
}

function bodyOf(input: RowInput): Row[] {
  const { file, loaded } = input.diff;
  const { path } = file;
  const patch = (input.since ?? input.diff).patch;
  const note = noteOf(input);
  if (note !== null) return [{ kind: "note", key: `${path} note`, note }];
  if (!loaded && patch.hunks.length === 0) {
    return [{ kind: "waiting", key: `${path} waiting`, lines: file.added + file.removed + 6 }];
  }
  if (patch.hunks.length === 0) {
    const changed = file.old_mode !== file.new_mode && file.old_mode && file.new_mode;
    return [{ kind: "note", key: `${path} note`, note: changed ? "mode" : "same" }];
  }
  return hunkRows(input, patch.hunks);
}

function noteOf({ diff, forced }: RowInput): Note | null {
  const { file, patch } = diff;
  if (file.binary || (file.omitted && !forced)) {
    if (isImage(file.path) && file.binary) return "image";
    return file.binary ? "binary" : "large";
  }
  if (!forced && file.generated) return "generated";
  if (!forced && file.added + file.removed > MOST_LINES) return "large";
  return isPointer(patch.hunks) ? "lfs" : null;
}

export function isImage(path: string): boolean {
  return /\.(png|jpe?g|gif|webp|avif|bmp|ico|svg)$/i.test(path);
}

export function isPointer(hunks: readonly Hunk[]): boolean {
  const [first] = hunks;
  return first?.lines.some(({ text }) => text.startsWith("version https://git-lfs.")) ?? false;
}

function hunkRows(input: RowInput, hunks: readonly Hunk[]): Row[] {
  const { path, status } = input.diff.file;
  const isWhole = status === "added" || status === "deleted" || input.since !== undefined;
  const gaps = isWhole ? [] : gapsOf(hunks, input.expansion);
  const rows: Row[] = [];
  hunks.forEach((hunk, place) => {
    rows.push(...gapRows(input, gaps[place], hunk.title, place === 0));
    rows.push(...lineRows(path, hunk.lines, hunk, input.split));
  });
  rows.push(...gapRows(input, gaps[hunks.length], "", false));
  return rows;
}

function gapRows(input: RowInput, gap: Gap | undefined, title: string, first: boolean): Row[] {
  const { path } = input.diff.file;
  if (gap === undefined) {
    return title && !first
      ? [{ kind: "gap", key: `${path} gap ${title}`, gap: NO_GAP, title }]
      : [];
  }
  const { above, hidden, below } = revealed(gap, input.expansion);
  const rows = lineRows(path, above, null, input.split);
  if (hidden !== 0) {
    rows.push({ kind: "gap", key: `${path} gap ${gap.oldStart}`, gap: { ...gap, hidden }, title });
  }
  return [...rows, ...lineRows(path, below, null, input.split)];
}

const NO_GAP: Gap = { oldStart: 0, oldEnd: 0, shift: 0, hidden: 0 };

function lineRows(
  path: string,
  lines: readonly PatchLine[],
  hunk: Hunk | null,
  split: boolean,
): Row[] {
  const rows: Row[] = [];
  for (let start = 0; start < lines.length; ) {
    const removed = run(lines, start, "removed");
    const added = run(lines, start + removed.length, "added");
    if (removed.length + added.length === 0) {
      const line = lines[start++];
      if (line === undefined) break;
      rows.push(
        split ? pairRow(path, line, line, hunk, null) : lineRow(path, line, null, hunk, null),
      );
      continue;
    }
    rows.push(...groupRows(path, removed, added, hunk, split, lines[start - 1]));
    start += removed.length + added.length;
  }
  return rows;
}

function run(lines: readonly PatchLine[], start: number, kind: PatchLine["kind"]): PatchLine[] {
  let end = start;
  while (lines[end]?.kind === kind) end++;
  return lines.slice(start, end);
}

function groupRows(
  path: string,
  removed: readonly PatchLine[],
  added: readonly PatchLine[],
  hunk: Hunk | null,
  split: boolean,
  before: PatchLine | undefined,
): Row[] {
  const head = groupOf(removed, added, hunk, before);
  const pairs = Math.max(removed.length, added.length);
  if (split) {
    return Array.from({ length: pairs }, (_, n) =>
      pairRow(path, removed[n] ?? null, added[n] ?? null, hunk, n === 0 ? head : null),
    );
  }
  const old = removed.map((line, n) =>
    lineRow(path, line, added[n] ?? null, hunk, n === 0 ? head : null),
  );
  const fresh = added.map((line, n) =>
    lineRow(path, line, removed[n] ?? null, hunk, n === 0 && old.length === 0 ? head : null),
  );
  return [...old, ...fresh];
}

/** As in a hunk's head: with no lines on a side, the line after which they would stand. */
function groupOf(
  removed: readonly PatchLine[],
  added: readonly PatchLine[],
  hunk: Hunk | null,
  before: PatchLine | undefined,
): Group {
  const old = before?.before ?? (hunk?.beforeStart ?? 1) - 1;
  const fresh = before?.after ?? (hunk?.afterStart ?? 1) - 1;
  return {
    old_start: removed[0]?.before ?? Math.max(old, 0),
    old_count: removed.length,
    new_start: added[0]?.after ?? Math.max(fresh, 0),
    new_count: added.length,
  };
}

function lineRow(
  path: string,
  line: PatchLine,
  pair: PatchLine | null,
  hunk: Hunk | null,
  head: Group | null,
): Row {
  const key = line.after === null ? `${path} -${line.before}` : `${path} +${line.after}`;
  return { kind: "line", key, line, pair, hunk, head };
}

function pairRow(
  path: string,
  left: PatchLine | null,
  right: PatchLine | null,
  hunk: Hunk | null,
  head: Group | null,
): Row {
  return {
    kind: "pair",
    key: `${path} ${left?.before ?? ""}|${right?.after ?? ""}`,
    left,
    right,
    hunk,
    head,
  };
}

/** Threads stand under their last line; those whose line is not shown, under the file's head. */
function withThreads(path: string, body: readonly Row[], comments: readonly CommentView[]): Row[] {
  if (comments.length === 0) return [...body];
  const left = new Map<string, CommentView[]>();
  for (const comment of comments) {
    const place = comment.outdated || comment.end === 0 ? "" : `${comment.side} ${comment.end}`;
    left.set(place, [...(left.get(place) ?? []), comment]);
  }
  const rows: Row[] = [];
  for (const row of body) {
    rows.push(row);
    for (const place of placesOf(row)) {
      const found = left.get(place);
      if (found === undefined) continue;
      left.delete(place);
      rows.push({ kind: "thread", key: `${path} thread ${place}`, comments: found, label: "" });
    }
  }
  const above = [...left.entries()].map(
    ([place, found]): Row => ({
      kind: "thread",
      key: `${path} thread ${place}`,
      comments: found,
      label: place === "" ? "" : `line ${found[0]?.end ?? ""}`,
    }),
  );
  return [...above, ...rows];
}

function placesOf(row: Row): string[] {
  const places: string[] = [];
  const add = (side: Side, line: number | null | undefined) => {
    if (line !== null && line !== undefined) places.push(`${side} ${line}`);
  };
  if (row.kind === "line") {
    add("old", row.line.kind === "removed" ? row.line.before : null);
    add("new", row.line.after);
  } else if (row.kind === "pair") {
    add("old", row.left?.kind === "removed" ? row.left.before : null);
    add("new", row.right?.after);
  }
  return places;
}
