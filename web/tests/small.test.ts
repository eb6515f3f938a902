import { expect, test } from "vitest";
import type { Field } from "../src/api/insight";
import type { AnyEvent } from "../src/api/types.gen";
import { treeOf } from "../src/places/files/tree";
import { fits, lineOf } from "../src/places/log/lines";
import { typedValue } from "../src/places/settings/fields";
import { shellText } from "../src/state/page/shell";
import { plainText, visibleBidi } from "../src/state/session/plain";
import { outcome, stepsText, toolName } from "../src/state/session/tool";

test("escape sequences steer nothing", () => {
  expect(plainText("\u001b[31mred\u001b[0m \u001b]0;title\u0007\u001b[2Jx\u0000y")).toBe("red xy");
  expect(plainText("10%\r50%\r100%\ndone\r\n")).toBe("100%\ndone\n");
  expect(visibleBidi("a\u202egnp.exe")).toBe("a‹U+202E›gnp.exe");
});

test("a command reads back in a shell as it was", () => {
  expect(shellText(["git", "log", "--format=%H", "it's", "a b", ""])).toBe(
    `git log --format=%H 'it'\\''s' 'a b' ''`,
  );
});

test("a tree lists what is open, folders first, lonely folders in one row", () => {
  const paths = ["src/a/b/c.py", "src/a/b/d.py", "z.txt", "docs/x.md", "docs/sub/y.md"];
  const rows = (open: string[]) =>
    treeOf(paths, new Set(open)).map(({ depth, name }) => `${" ".repeat(depth)}${name}`);
  expect(rows([])).toEqual(["docs", "src/a/b", "z.txt"]);
  expect(rows(["src/a/b", "docs"])).toEqual([
    "docs",
    " sub",
    " x.md",
    "src/a/b",
    " c.py",
    " d.py",
    "z.txt",
  ]);
});

test("a line of the log is found by its kind and words, and left out by a minus", () => {
  const event = {
    seq: 7,
    at: "",
    type: "tool_called",
    call: "c",
    tool: "Bash",
    input: { command: "pytest -q" },
  };
  const line = lineOf(event as unknown as AnyEvent);
  expect(line.gist).toBe("Bash pytest -q");
  expect(fits(line, "tool_called PYTEST")).toBe(true);
  expect(fits(line, "pytest -bash")).toBe(false);
  expect(fits(line, "-")).toBe(true);
});

test("what is typed becomes the setting's kind of value, or nothing", () => {
  const field = (kind: Field["kind"], optional = false) => ({ kind, optional }) as Field;
  expect(typedValue(field("integer"), " 6 ")).toBe(6);
  expect(typedValue(field("integer"), "6.5")).toBeUndefined();
  expect(typedValue(field("number", true), "")).toBeNull();
  expect(typedValue(field("number"), "")).toBeUndefined();
  expect(typedValue(field("list"), "a, b,")).toEqual(["a", "b"]);
});

test("calls are told in a few words", () => {
  expect(toolName("mcp__github__create_issue")).toBe("github · create_issue");
  expect(outcome("Grep", {}, "a\nb\n")).toBe("2 hits");
  expect(outcome("Bash", { command: "pytest" }, "x\n7 passed in 2s")).toBe("7 passed");
  const call = (tool: string, input: Record<string, unknown>) => ({ tool, input });
  expect(
    stepsText([
      call("Read", { file_path: "a" }),
      call("Read", { file_path: "a" }),
      call("Read", { file_path: "b" }),
      call("Bash", { command: "ls" }),
    ]),
  ).toBe("Read 2 files, ran 1 command");
});
