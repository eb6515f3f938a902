// @vitest-environment jsdom
import { expect, test } from "vitest";
import type { AnyEvent, Piece, TextDelta } from "../src/api/types.gen";
import {
  conversationKnown,
  foldConversation,
  heardAt,
  useConversations,
} from "../src/state/session/conversations";
import { follow, look, onWishes, wishes } from "../src/state/topics";

const said = (seq: number) =>
  ({ seq, session: "s", at: "", type: "user_message", message: `m${seq}`, text: "" }) as AnyEvent;
const live = { type: "text_delta", live: true, session: "s", message: "x", offset: 0, text: "Hi" };
const piece = (fields: Partial<Piece>): Piece => ({ topic: "session/s", ...fields });
const open = (id: string) => useConversations.getState().open[id];

test("what one place leaves and the next follows is said once, and all of it", async () => {
  let told = 0;
  onWishes(() => told++);
  const leave = follow("session/a", () => 4);
  leave();
  follow("session/a", () => 5);
  follow("session/b", () => 0);
  leave();
  look(["a"]);
  await Promise.resolve();
  expect(told).toBe(1);
  expect(wishes()).toEqual({ look: ["a"], topics: { "session/a": 5, "session/b": 0 } });
});

test("a history is shown once it is whole, and goes on from where it was lost", () => {
  foldConversation("s", piece({ begins: true, past: true, frames: [said(1), said(2)] }));
  expect(open("s")).toBeUndefined();
  expect(conversationKnown("s")).toBe(2);
  foldConversation("s", piece({ begins: true, past: true, frames: [said(2), said(3)] }));
  foldConversation("s", piece({ frames: [live as TextDelta] }));
  expect(open("s")?.items).toHaveLength(3);
  expect(open("s")?.saying).toHaveLength(1);
  expect(heardAt("s")).toBe(0);
  foldConversation("s", piece({ frames: [said(4), { ...live, offset: 2 } as TextDelta] }));
  expect(open("s")?.saying[0]?.text).toBe("HiHi");
  expect(heardAt("s")).toBeGreaterThan(0);
  expect(conversationKnown("s")).toBe(4);
});
