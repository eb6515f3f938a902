import { expect, test } from "vitest";
import type { AnyEvent, Attention, TextDelta } from "../src/api/types.gen";
import { EMPTY, fold, type Item, lay } from "../src/state/session/conversation";

let seq = 0;

function event<T extends AnyEvent["type"]>(
  type: T,
  fields: Omit<Extract<AnyEvent, { type: T }>, "seq" | "at" | "type"> & { at?: string },
): AnyEvent {
  return { seq: ++seq, session: "s", at: "2026-01-01T00:00:00.000Z", type, ...fields } as AnyEvent;
}

function delta(message: string, offset: number, text: string): TextDelta {
  return {
    type: "text_delta",
    live: true,
    session: "s",
    turn: 1,
    conversation: "main",
    message,
    offset,
    text,
    thinking: false,
    parent: "",
  };
}

const plan: Attention = {
  id: "p",
  session: "s",
  conversation: "main",
  kind: "plan",
  summary: "Two steps",
  detail: {},
  options: [],
  raised_at: "",
  resolved_at: null,
  snoozed_until: null,
  resolution: null,
};

const kinds = (items: readonly Item[]) => items.map((item) => item.kind);

test("words on their way grow where they stand and give way to the finished message", () => {
  let talk = lay(EMPTY, delta("m", 0, "Hel"));
  talk = lay(talk, delta("m", 3, "lo"));
  expect(talk.saying.map((saying) => saying.text)).toEqual(["Hello"]);
  talk = fold(talk, [event("agent_message", { message: "m", text: "Hello!" })]);
  expect(talk.saying).toEqual([]);
  expect(talk.items).toMatchObject([{ kind: "agent", text: "Hello!" }]);
});

test("offsets count characters as the hub does, not UTF-16 units", () => {
  let talk = lay(EMPTY, delta("m", 0, "👋🏽 "));
  talk = lay(talk, delta("m", 3, "hi"));
  expect(talk.saying[0]?.text).toBe("👋🏽 hi");
  talk = lay(talk, delta("m", 1, "!"));
  expect(talk.saying[0]?.text).toBe("👋!");
});

test("the text so far, told again after a reconnection, replaces what was there", () => {
  let talk = lay(EMPTY, delta("m", 0, "Hello"));
  talk = lay(talk, delta("m", 0, "Hello wor"));
  talk = lay(talk, delta("m", 9, "ld"));
  expect(talk.saying[0]?.text).toBe("Hello world");
});

test("a frame that would leave a gap is let go", () => {
  const talk = lay(EMPTY, delta("m", 5, "late"));
  expect(talk).toBe(EMPTY);
});

test("a late frame of a finished message changes nothing", () => {
  const talk = fold(EMPTY, [event("agent_message", { message: "m", text: "Done" })]);
  expect(lay(talk, delta("m", 0, "Do"))).toBe(talk);
});

test("an event that is known already changes nothing", () => {
  const said = event("user_message", { message: "u", text: "Hi" });
  const talk = fold(EMPTY, [said]);
  expect(fold(talk, [said])).toBe(talk);
});

test("a tool call is finished where it was called", () => {
  const talk = fold(EMPTY, [
    event("tool_called", { call: "c", tool: "Bash", input: { command: "ls" } }),
    event("agent_message", { message: "m", text: "…" }),
    event("tool_finished", {
      call: "c",
      tool: "Bash",
      output: "a",
      at: "2026-01-01T00:00:02.000Z",
    }),
  ]);
  expect(kinds(talk.items)).toEqual(["tool", "agent"]);
  expect(talk.items[0]).toMatchObject({ output: "a", seconds: 2, failed: false });
});

test("an answered item stays in its place with its answer", () => {
  const talk = fold(EMPTY, [
    event("plan_proposed", { item: plan }),
    event("note_made", { text: "noted" }),
    event("attention_resolved", { item: "p", resolution: { options: ["approve"] } }),
  ]);
  expect(kinds(talk.items)).toEqual(["attention", "note"]);
  expect(talk.items[0]).toMatchObject({ item: { resolution: { options: ["approve"] } } });
});

test("a follow-up is no part of the conversation before it is sent", () => {
  const talk = fold(EMPTY, [event("follow_up_added", { message: "f", text: "then this" })]);
  expect(talk.items).toEqual([]);
  const sent = fold(talk, [
    event("user_message", { message: "f", text: "then this" }),
    event("message_delivered", { message: "f" }),
  ]);
  expect(sent.items).toMatchObject([{ kind: "user", delivered: true }]);
});

test("a turn's end tells its time and cost", () => {
  const talk = fold(EMPTY, [
    event("turn_started", { turn: 1 }),
    event("usage_recorded", { cost_usd: 0.02 }),
    event("usage_recorded", { cost_usd: 0.01 }),
    event("turn_finished", { turn: 1, at: "2026-01-01T00:00:05.000Z" }),
  ]);
  expect(talk.items).toMatchObject([{ kind: "turn", turn: 1, outcome: "done", seconds: 5 }]);
  expect(talk.items[0]).toHaveProperty("usd", expect.closeTo(0.03));
});

test("an event of a newer version is shown as such", () => {
  const strange = { ...event("session_read", {}), type: "moon_landed" } as unknown as AnyEvent;
  expect(fold(EMPTY, [strange]).items).toMatchObject([{ kind: "note", text: "moon landed" }]);
});

test("an aside keeps its words, its questions and its turns to itself", () => {
  const asked = { ...plan, id: "q", conversation: "b" };
  let talk = fold(EMPTY, [
    event("user_message", { message: "u", text: "Task" }),
    event("user_message", { message: "v", text: "Beside", conversation: "b" }),
    event("question_asked", { item: asked }),
  ]);
  talk = lay(talk, { ...delta("w", 0, "Well"), conversation: "b" });
  talk = lay(talk, delta("x", 0, "Going on"));
  talk = fold(talk, [
    event("attention_resolved", { item: "q", resolution: { options: [] } as never }),
    event("turn_finished", { outcome: "done", conversation: "b" }),
  ]);
  expect(kinds(talk.items)).toEqual(["user"]);
  expect(talk.saying.map(({ text }) => text)).toEqual(["Going on"]);
  const aside = talk.asides.b ?? EMPTY;
  expect(kinds(aside.items)).toEqual(["user", "attention", "turn"]);
  expect(aside.items[1]).toMatchObject({ item: { resolution: { options: [] } } });
  expect(aside.saying).toEqual([]);
  expect(talk.seq).toBe(seq);
});
