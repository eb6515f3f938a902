import { expect, test } from "vitest";
import type { DiffFile } from "../src/api/answers";
import type { CommentView } from "../src/api/types.gen";
import { nodesOf } from "../src/places/diff/files/tree";
import { blockOf, type Layout, layoutOf, rowsBetween } from "../src/places/diff/layout";
import { type Expansion, gapsOf, revealed } from "../src/places/diff/rows/context";
import { type RowInput, rowsOf } from "../src/places/diff/rows/rows";
import { isOdd, visible } from "../src/places/diff/rows/visible";
import { differences } from "../src/places/diff/rows/words";
import { steadyTop } from "../src/places/diff/steady";
import {
  type FileDiff,
  fileDiffs,
  merged,
  openedFiles,
  relisted,
  withPatches,
  withViewed,
} from "../src/state/diff/diffFiles";

function file(path: string, more: Partial<DiffFile> = {}): DiffFile {
  return { path, status: "modified", added: 1, removed: 0, binary: false, ...more };
}

function diffOf(path: string, lines: readonly string[]): FileDiff[] {
  const added = lines.map((line) => `+${line}`).join("\n");
  const patch = `diff --git a/${path} b/${path}\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,${lines.length} @@\n${added}\n`;
  return fileDiffs({ files: [file(path, { status: "added" })], patch });
}

const numbered = (count: number) => Array.from({ length: count }, (_, n) => `line ${n}`);

function input(diff: FileDiff, more: Partial<RowInput> = {}): RowInput {
  const usual = { folded: false, forced: false, split: false, comments: [] };
  return { diff, ...usual, expansion: undefined, since: undefined, ...more };
}

function laid(...diffs: FileDiff[][]): Layout {
  const none = new Map<string, number>();
  return layoutOf(diffs.flat().map((diff) => blockOf(diff, rowsOf(input(diff)), none)));
}

test("files come with the patches that fit, and the others are still to be asked for", () => {
  const [one] = diffOf("a", ["x"]);
  const patch =
    "diff --git a/a b/a\nnew file mode 100644\n--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+x\n";
  const opened = openedFiles({ files: [file("b"), file("a", { status: "added" })], patch });
  expect(opened.map(({ file, loaded }) => [file.path, loaded])).toEqual([
    ["a", true],
    ["b", false],
  ]);
  expect(opened[0]?.patch.hunks[0]?.lines).toEqual(one?.patch.hunks[0]?.lines);
});

test("a list that says nothing new keeps every object, and what is known to be too large", () => {
  const files = [file("a", { new_blob: "1" }), file("b", { new_blob: "2" })];
  const listed = relisted([], files);
  const fresh = [{ ...listed[0], file: { ...files[0], omitted: true } } as FileDiff];
  const known = withPatches(listed, fresh, new Set(["a"]));
  const again = relisted(known, structuredClone(files));
  expect(again[0]?.file.omitted).toBe(true);
  expect(again[1]).toBe(known[1]);
  const changed = relisted(known, [file("a", { new_blob: "9" })]);
  expect([changed[0]?.file.omitted, changed[0]?.loaded]).toEqual([undefined, false]);
});

test("a tick shows at once on its file only", () => {
  const files = relisted([], [file("a"), file("b")]);
  const ticked = withViewed(files, "a", true);
  expect(ticked.map(({ file }) => file.viewed)).toEqual(["yes", undefined]);
  expect(ticked[1]).toBe(files[1]);
});

test("a changed file takes its place among the others, which stay the same objects", () => {
  const before = [...diffOf("a", ["x"]), ...diffOf("c", ["x"])];
  const after = merged(before, diffOf("b", ["x"]), new Set(["b"]));
  expect(after.map(({ file }) => file.path)).toEqual(["a", "b", "c"]);
  expect(after[0]).toBe(before[0]);
});

test("a file that is as in the base again leaves", () => {
  const before = [...diffOf("a", ["x"]), ...diffOf("b", ["x"])];
  expect(merged(before, [], new Set(["b"])).map(({ file }) => file.path)).toEqual(["a"]);
});

test("a tick goes at once when another content comes", () => {
  const seen = { file: file("a", { viewed: "yes", new_blob: "1" }) };
  const [before] = diffOf("a", ["x"]).map((diff) => ({ ...diff, ...seen }));
  const fresh = diffOf("a", ["y"]).map((diff) => ({ ...diff, file: file("a", { new_blob: "2" }) }));
  expect(merged(before ? [before] : [], fresh, new Set(["a"]))[0]?.file.viewed).toBe("changed");
});

test("a tick goes too when a patch that was asked for shows another content", () => {
  const listed = relisted([], [file("a", { viewed: "yes", new_blob: "1" })]);
  const fresh = diffOf("a", ["y"]).map((diff) => ({ ...diff, file: file("a", { new_blob: "2" }) }));
  expect(withPatches(listed, fresh, new Set(["a"]))[0]?.file.viewed).toBe("changed");
});

test("a new list keeps patches of the same content and shows old ones until the new are there", () => {
  const known = diffOf("a", ["x"]).map((diff) => ({ ...diff, file: file("a", { new_blob: "1" }) }));
  const [same] = relisted(known, [file("a", { new_blob: "1" })]);
  expect(same).toBe(known[0]);
  const [other] = relisted(known, [file("a", { new_blob: "2" })]);
  expect(other).toMatchObject({ loaded: false, patch: known[0]?.patch });
  expect(withPatches(other ? [other] : [], diffOf("a", ["z"]), new Set(["a"]))[0]?.loaded).toBe(
    true,
  );
});

test("the line in sight stays where it is when a file above it grows", () => {
  const before = laid(diffOf("a", numbered(5)), diffOf("b", numbered(50)));
  const after = laid(diffOf("a", numbered(9)), diffOf("b", numbered(50)));
  const top = 36 + 5 * 20 + 36 + 10 * 20 + 7;
  expect(steadyTop(before, after, top)).toBe(top + 4 * 20);
});

test("the line in sight stays where it is when lines come above it in the same file", () => {
  const before = laid(diffOf("a", numbered(50)));
  const after = laid(diffOf("a", ["new", "newer", ...numbered(50)]));
  const top = 36 + 10 * 20 + 3;
  expect(steadyTop(before, after, top)).toBe(top + 2 * 20);
});

test("when the file in sight is gone the next one that is left takes over", () => {
  const before = laid(diffOf("a", numbered(5)), diffOf("b", numbered(5)));
  expect(steadyTop(before, laid(diffOf("b", numbered(5))), 36 + 40)).toBe(0);
});

test("only the rows in sight are asked for, whatever the length", () => {
  const layout = laid(...Array.from({ length: 2000 }, (_, n) => diffOf(`f${n}`, numbered(50))));
  const rows = rowsBetween(layout, 1_000_000, 1_000_800);
  expect(rows.length).toBeGreaterThan(35);
  expect(rows.length).toBeLessThan(45);
  expect(rows[0]?.top).toBeLessThanOrEqual(1_000_000);
});

test("a folded file is its head alone, a generated one says so", () => {
  const [diff] = diffOf("a", numbered(5));
  if (diff === undefined) throw new Error("no diff");
  expect(rowsOf(input(diff, { folded: true })).map(({ kind }) => kind)).toEqual(["file"]);
  const made = { ...diff, file: file("a", { generated: true, status: "added" }) };
  expect(rowsOf(input(made)).map(({ kind }) => kind)).toEqual(["file", "note"]);
  expect(rowsOf(input(made, { forced: true })).length).toBe(6);
});

const PATCH = `diff --git a/f b/f
--- a/f
+++ b/f
@@ -10,3 +10,4 @@ head
 a
-old
+new
+newer
 b
@@ -40,2 +41,2 @@
 c
-d
+e
`;

test("gaps open line by line and close when all is shown", () => {
  const [diff] = fileDiffs({ files: [file("f")], patch: PATCH });
  const hunks = diff?.patch.hunks ?? [];
  expect(gapsOf(hunks, undefined).map((gap) => gap?.hidden)).toEqual([9, 27, -1]);
  const expansion: Expansion = {
    lines: numbered(60),
    shown: { 1: { top: 0, bottom: 4 }, 13: { top: 99, bottom: 0 } },
  };
  const [first, second, last] = gapsOf(hunks, expansion);
  if (!first || !second || !last) throw new Error("a gap is missing");
  expect(revealed(first, expansion)).toMatchObject({ hidden: 5, above: [] });
  expect(revealed(first, expansion).below.map(({ text }) => text)).toEqual(numbered(9).slice(5));
  const whole = revealed(second, expansion);
  expect([whole.hidden, whole.above[0]?.before, whole.above[0]?.after]).toEqual([0, 13, 14]);
  expect(last.hidden).toBe(19);
});

test("side by side, changed lines stand against each other", () => {
  const [diff] = fileDiffs({ files: [file("f")], patch: PATCH });
  if (diff === undefined) throw new Error("no diff");
  const pairs = rowsOf(input(diff, { split: true })).flatMap((row) =>
    row.kind === "pair" ? [[row.left?.text ?? null, row.right?.text ?? null]] : [],
  );
  expect(pairs).toEqual([
    ["a", "a"],
    ["old", "new"],
    [null, "newer"],
    ["b", "b"],
    ["c", "c"],
    ["d", "e"],
  ]);
});

test("the smallest thing to put back is a run of changed lines", () => {
  const [diff] = fileDiffs({ files: [file("f")], patch: PATCH });
  if (diff === undefined) throw new Error("no diff");
  const groups = rowsOf(input(diff)).flatMap((row) =>
    row.kind === "line" && row.head ? [row.head] : [],
  );
  expect(groups).toEqual([
    { old_start: 11, old_count: 1, new_start: 11, new_count: 2 },
    { old_start: 41, old_count: 1, new_start: 42, new_count: 1 },
  ]);
});

test("a thread stands under its last line, one without a line under the head", () => {
  const [diff] = fileDiffs({ files: [file("f")], patch: PATCH });
  if (diff === undefined) throw new Error("no diff");
  const at = (id: string, end: number, outdated = false) =>
    ({ id, side: "new", start: end, end, outdated }) as CommentView;
  const rows = rowsOf(input(diff, { comments: [at("c1", 12), at("c2", 12, true), at("c3", 30)] }));
  const kinds = rows.map((row) => (row.kind === "thread" ? row.comments[0]?.id : row.kind));
  expect(kinds.slice(0, 3)).toEqual(["file", "c2", "c3"]);
  expect(kinds[kinds.indexOf("c1") - 1]).toBe("line");
});

test("words that differ are marked one by one", () => {
  const [one, other] = differences("call(alpha, beta, gamma)", "call(alpha, delta, gamma, eps)");
  expect(one).toEqual([[12, 16]]);
  expect(other).toEqual([
    [12, 17],
    [24, 29],
  ]);
  expect(differences("import os", "return value")).toEqual([[], []]);
});

test("characters that hide or reorder are shown by name", () => {
  expect(visible("a\u202eb").map(({ text }) => text)).toEqual(["a", "U+202E", "b"]);
  expect(visible("\u001b[31m")[0]).toMatchObject({ text: "␛", odd: true });
  expect(isOdd("tabs\tand Ünïcode 漢字")).toBe(false);
  expect(isOdd("zero\u200bwidth")).toBe(true);
});

test("the tree joins lonely folders, folds and filters", () => {
  const one = (path: string) => ({ ...file(path), viewed: "no", comments: 0 });
  const files = [one("a/b/c.ts"), one("a/b/d.ts"), one("z.ts")];
  const names = (filter: string, closed: string[]) =>
    nodesOf(files, filter, new Set(closed)).map(({ name }) => name);
  expect(names("", [])).toEqual(["a/b", "c.ts", "d.ts", "z.ts"]);
  expect(names("", ["a/b/"])).toEqual(["a/b", "z.ts"]);
  expect(names("D.t", ["a/b/"])).toEqual(["a/b", "d.ts"]);
});
