import { expect, test } from "vitest";
import type { DiffFile } from "../src/api/answers";
import { rowsOf } from "../src/places/diff/rows";
import { steadyTop } from "../src/places/diff/useSteadyScroll";
import { type FileDiff, fileDiffs, merged } from "../src/state/diffs";

function file(path: string, status: DiffFile["status"] = "modified"): DiffFile {
  return { path, status, added: 1, removed: 0, binary: false };
}

function diffOf(path: string, lines: number): FileDiff[] {
  const added = Array.from({ length: lines }, (_, n) => `+line ${n}`).join("\n");
  const patch = `diff --git a/${path} b/${path}\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,${lines} @@\n${added}\n`;
  return fileDiffs({ files: [file(path)], patch });
}

const NONE = new Set<string>();

test("a changed file takes its place among the others, which stay the same objects", () => {
  const before = [...diffOf("a", 1), ...diffOf("c", 1)];
  const after = merged(before, diffOf("b", 1), new Set(["b"]));
  expect(after.map(({ file }) => file.path)).toEqual(["a", "b", "c"]);
  expect(after[0]).toBe(before[0]);
});

test("a file that is as in the base again leaves", () => {
  const before = [...diffOf("a", 1), ...diffOf("b", 1)];
  expect(merged(before, [], new Set(["b"])).map(({ file }) => file.path)).toEqual(["a"]);
});

test("the row in sight stays where it is when a file above it grows", () => {
  const before = rowsOf([...diffOf("a", 5), ...diffOf("b", 50)], NONE);
  const after = rowsOf([...diffOf("a", 9), ...diffOf("b", 50)], NONE);
  const top = 32 + 5 * 20 + 32 + 10 * 20 + 7;
  expect(steadyTop(before, after, top)).toBe(top + 4 * 20);
});

test("when the row in sight is gone the next one that is left takes over", () => {
  const before = rowsOf([...diffOf("a", 5), ...diffOf("b", 5)], NONE);
  const after = rowsOf(diffOf("b", 5), NONE);
  expect(steadyTop(before, after, 32 + 40)).toBe(0);
});

test("a folded file is its head alone", () => {
  expect(rowsOf(diffOf("a", 5), new Set(["a"])).map((row) => row.kind)).toEqual(["file"]);
});
