/** A diff as one flat list of rows of known height, so that only what is in sight is drawn. */

import type { FileDiff } from "../../state/diffs";
import type { PatchLine } from "../../state/patch";

export interface FileRow {
  readonly kind: "file";
  readonly key: string;
  readonly diff: FileDiff;
  readonly folded: boolean;
}

export type Row =
  | FileRow
  | { readonly kind: "gap"; readonly key: string; readonly text: string }
  | {
      readonly kind: "line";
      readonly key: string;
      readonly line: PatchLine;
      readonly path: string;
    };

export const HEIGHTS = { file: 32, gap: 22, line: 20 } as const;

export function rowsOf(files: readonly FileDiff[], folded: ReadonlySet<string>): Row[] {
  return files.flatMap((diff) => {
    const { path } = diff.file;
    const isFolded = folded.has(path);
    const head: Row = { kind: "file", key: `file ${path}`, diff, folded: isFolded };
    return isFolded ? [head] : [head, ...bodyOf(diff)];
  });
}

function bodyOf({ file, patch }: FileDiff): Row[] {
  const { path } = file;
  if (file.binary) return [gap(path, "binary", "Binary file")];
  if (patch.hunks.length === 0) return [gap(path, "empty", emptyText(file.status))];
  const rows: Row[] = [];
  let read = 1;
  for (const hunk of patch.hunks) {
    const skipped = hunk.beforeStart - read;
    const text = [skipped > 0 ? `${skipped} unchanged` : "", hunk.title]
      .filter(Boolean)
      .join(" · ");
    if (text) rows.push(gap(path, `${hunk.afterStart}`, text));
    for (const line of hunk.lines) rows.push({ kind: "line", key: keyOf(path, line), line, path });
    const kept = hunk.lines.filter((line) => line.kind !== "added").length;
    read = hunk.beforeStart + kept;
  }
  return rows;
}

function gap(path: string, name: string, text: string): Row {
  return { kind: "gap", key: `gap ${path} ${name}`, text };
}

/** A line keeps its name while lines around it come and go, so that a reader's place is found again. */
function keyOf(path: string, line: PatchLine): string {
  return line.after === null ? `- ${path} ${line.before}` : `+ ${path} ${line.after}`;
}

function emptyText(status: string): string {
  return status === "renamed" ? "Renamed without changes" : "No lines changed";
}

/** The longest line, in characters: a list that draws only what is in sight must know its width. */
export function widest(rows: readonly Row[]): number {
  return rows.reduce(
    (most, row) => (row.kind === "line" ? Math.max(most, row.line.text.length) : most),
    0,
  );
}
