import { expect, test } from "vitest";
import { type Entry, entriesOf } from "../src/places/conversation/entries";
import type { Item } from "../src/state/session/conversation";

const tool = (id: string, parent = "", output: string | null = ""): Item => ({
  kind: "tool",
  id,
  tool: parent === "" && id.startsWith("task") ? "Task" : "Read",
  input: {},
  output,
  bytes: 0,
  failed: false,
  at: "",
  seconds: 0,
  parent,
});
const words = (id: string, parent = ""): Item => ({ kind: "agent", id, text: id, parent });
const shown = (entries: readonly Entry[]) =>
  entries.map(({ id, depth }) => `${"  ".repeat(depth)}${id}`);

test("a sub-agent's work stands under its call, however deep, and folds with it", () => {
  const items = [
    words("a"),
    tool("task1", "", null),
    tool("read1", "task1"),
    tool("task2", "task1", null),
    tool("read2", "task2"),
    words("said", "task1"),
    words("b"),
  ];
  expect(shown(entriesOf(items, "normal", {}))).toEqual([
    "a",
    "task1",
    "  read1",
    "  task2",
    "    read2",
    "  said",
    "b",
  ]);
  expect(shown(entriesOf(items, "normal", { task1: false }))).toEqual(["a", "task1", "b"]);
});

test("the work of a sub-agent that is done is folded by itself", () => {
  const items = [tool("task1", "", "done"), tool("read1", "task1")];
  expect(shown(entriesOf(items, "normal", {}))).toEqual(["task1"]);
  expect(shown(entriesOf(items, "full", {}))).toEqual(["task1", "  read1"]);
});

test("briefly, the steps between two words are one row that opens", () => {
  const items = [words("a"), tool("r1"), tool("r2"), words("b"), tool("r3")];
  expect(shown(entriesOf(items, "brief", {}))).toEqual(["a", "steps-r1", "b", "steps-r3"]);
  expect(shown(entriesOf(items, "brief", { "steps-r1": true }))).toEqual([
    "a",
    "steps-r1",
    "  r1",
    "  r2",
    "b",
    "steps-r3",
  ]);
});

test("what has a parent that nobody knows is not lost", () => {
  expect(shown(entriesOf([tool("r", "gone")], "normal", {}))).toEqual(["r"]);
});
