import { expect, test } from "vitest";
import type { AnyEvent } from "../src/api/types.gen";
import { catchUp, isWorth, stepsOf } from "../src/state/session/catchup";
import { item } from "./sample";

function story(...events: (Record<string, unknown> & { type: string })[]): AnyEvent[] {
  return events.map((event, place) => ({
    seq: place + 1,
    session: "s",
    at: `2026-01-01T00:00:${`${place}`.padStart(2, "0")}.000Z`,
    ...event,
  })) as unknown as AnyEvent[];
}

const bash = (call: string, command: string) => ({
  type: "tool_called",
  call,
  tool: "Bash",
  input: { command },
});
const ended = (call: string, output: string, is_error = false) => ({
  type: "tool_finished",
  call,
  tool: "Bash",
  output,
  is_error,
});

test("a morning's work is told: words, decisions, files, checks and cost", () => {
  const question = { ...item("q", "question", ""), summary: "Keep the column?" };
  const card = catchUp(
    story(
      { type: "user_message", message: "m", text: "Use the Redis client" },
      { type: "tool_called", call: "r1", tool: "Read", input: { file_path: "a.py" } },
      { type: "tool_called", call: "r2", tool: "Read", input: { file_path: "a.py" } },
      { type: "question_asked", item: { ...question, options: [{ id: "yes", label: "Yes" }] } },
      { type: "attention_resolved", item: "q", resolution: { options: ["yes"] } },
      { type: "diff_changed", path: "a.py", status: "modified", added: 3, removed: 1 },
      { type: "diff_changed", path: "b.py", status: "added", added: 9 },
      { type: "diff_changed", path: "b.py", status: "unchanged" },
      bash("c1", "pytest"),
      ended("c1", "1 failed, 2 passed in 1s", true),
      bash("c2", "pytest"),
      ended("c2", "3 passed in 1s"),
      { type: "usage_recorded", cost_usd: 0.25 },
      { type: "agent_message", message: "w", text: "Done." },
      { type: "turn_finished", turn: 1, outcome: "done" },
    ),
    0,
  );
  expect(card).toMatchObject({
    said: ["Use the Redis client"],
    decisions: [{ what: "Question: Keep the column?", answer: "Yes" }],
    files: [{ path: "a.py", added: 3, removed: 1 }],
    checks: [{ name: "pytest", passed: true, result: "3 passed" }],
    reads: 1,
    commands: 2,
    turns: 1,
    usd: 0.25,
    words: "Done.",
    trouble: [],
  });
});

test("what was seen is not told again, and still explains what came after", () => {
  const events = story(
    { type: "permission_requested", item: { ...item("p", "permission", ""), summary: "Bash ls" } },
    bash("c", "npm test"),
    { type: "turn_finished", turn: 1, outcome: "done" },
    { type: "attention_resolved", item: "p", resolution: { options: ["allow"] } },
    ended("c", "", true),
  );
  const card = catchUp(events, 3);
  expect(card.turns).toBe(0);
  expect(card.decisions).toEqual([{ what: "Permission: Bash ls", answer: "allow" }]);
  expect(card.checks).toMatchObject([{ name: "npm test", passed: false }]);
  expect(isWorth(catchUp(events, 5))).toBe(false);
  expect(catchUp(events, 0, 3).decisions).toEqual([]);
});

test("trouble comes first", () => {
  const card = catchUp(
    story(
      { type: "turn_finished", outcome: "failed", error: "The model is overloaded" },
      { type: "agent_exited", returncode: -9, reason: "killed" },
      { type: "agent_exited", expected: true },
    ),
    0,
  );
  expect(card.trouble).toEqual(["The model is overloaded", "killed"]);
  expect(isWorth(card)).toBe(true);
});

test("words of a sub-agent are not the agent's last words", () => {
  const card = catchUp(
    story(
      { type: "agent_message", message: "a", text: "Mine." },
      { type: "agent_message", message: "b", text: "Below.", parent: "t" },
    ),
    0,
  );
  expect(card.words).toBe("Mine.");
  expect(isWorth(card)).toBe(false);
});

test("a plan's steps are its outermost items", () => {
  expect(stepsOf("# Plan\n1. one\n   - below\n2. two\n\n- three\ntext")).toBe(3);
});

test("the agent's list counts, the newest state of it", () => {
  const todos = (state: string) => ({ type: "todos_changed", todos: [{ text: "a", state }] });
  expect(catchUp(story(todos("doing"), todos("done")), 0).todos).toEqual([
    { text: "a", state: "done" },
  ]);
});
