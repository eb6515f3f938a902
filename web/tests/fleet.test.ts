import { expect, test } from "vitest";
import type { AnyEvent } from "../src/api/types.gen";
import { inbox } from "../src/state/groups";
import { foldView } from "../src/state/session";
import { item, session } from "./sample";

const event = (type: AnyEvent["type"], fields: object) =>
  ({ seq: 1, session: "s", at: "now", type, ...fields }) as AnyEvent;

test("the inbox has the most blocking first, then the oldest", () => {
  const items = [item("p", "plan", "1"), item("q2", "question", "3"), item("q1", "question", "2")];
  const found = inbox([
    session({ attention: items }),
    session({ attention: [item("r", "permission", "9")] }),
  ]);
  expect(found.map((each) => each.id)).toEqual(["r", "q1", "q2", "p"]);
});

test("a raised item makes a session wait until it is resolved", () => {
  const raised = foldView(
    session({ status: "working" }),
    event("plan_proposed", { item: item("p", "plan", "1") }),
  );
  expect(raised).toMatchObject({ status: "waiting", unread: true });
  expect(foldView(raised, event("turn_finished", {})).status).toBe("waiting");
  const resolved = foldView(raised, event("attention_resolved", { item: "p" }));
  expect(resolved).toMatchObject({ status: "working", attention: [] });
});

test("an event that says nothing about the view leaves it as it is", () => {
  const view = session({});
  expect(foldView(view, event("tool_called", { call: "c", tool: "Read" }))).toBe(view);
});
