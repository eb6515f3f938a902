import { expect, test } from "vitest";
import { differing, parsePatch } from "../src/state/diff/patch";

const PATCH = `diff --git a/app.py b/app.py
index 1..2 100644
--- a/app.py
+++ b/app.py
@@ -3,3 +3,4 @@ def main():
 same
-old = limit
+old = window
+new
 end
\\ No newline at end of file
diff --git "a/caf\\303\\251.txt" "b/caf\\303\\251.txt"
new file mode 100644
--- /dev/null
+++ "b/caf\\303\\251.txt"
@@ -0,0 +1 @@
+-- a line that looks like a header
diff --git a/logo.png b/logo.png
index 1..2 100644
Binary files a/logo.png and b/logo.png differ
diff --git a/old name.txt b/new name.txt
similarity index 100%
rename from old name.txt
rename to new name.txt
`;

test("a patch falls into its files, whatever their names", () => {
  const paths = parsePatch(PATCH).map((file) => file.path);
  expect(paths).toEqual(["app.py", "café.txt", "logo.png", "new name.txt"]);
});

test("lines carry the numbers of both sides", () => {
  const lines = parsePatch(PATCH)[0]?.hunks[0]?.lines ?? [];
  expect(lines.map((line) => [line.kind, line.before, line.after])).toEqual([
    ["same", 3, 3],
    ["removed", 4, null],
    ["added", null, 4],
    ["added", null, 5],
    ["same", 5, 6],
  ]);
});

test("a removed line that begins with dashes is a line", () => {
  const [line] = parsePatch(PATCH)[1]?.hunks[0]?.lines ?? [];
  expect(line?.text).toBe("-- a line that looks like a header");
});

test("changed words are marked whole", () => {
  expect(differing("def f(app, limits):", "def f(app, window):")).toEqual([
    [11, 17],
    [11, 17],
  ]);
  expect(differing("value = 10", "value = 100")).toEqual([
    [8, 10],
    [8, 11],
  ]);
  expect(differing("    name: str", "    display_name: str")).toEqual([
    [4, 8],
    [4, 16],
  ]);
});

test("lines that share hardly anything are not marked", () => {
  expect(differing("import os", "return value")).toBeNull();
});
