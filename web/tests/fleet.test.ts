import { expect, test } from "vitest";
import type { AnyEvent, Attention, SessionView } from "../src/api/types.gen";
import { grouped, inbox } from "../src/state/groups";
import { foldView } from "../src/state/session";

function session(fields: Partial<SessionView>): SessionView {
  return {
    id: "s",
    title: "",
    slug: "",
    repo: "",
    branch: "",
    base: "",
    base_commit: "",
    worktree: "",
    agent: "",
    kind: "claude",
    model: "",
    mode: "ask",
    status: "idle",
    reason: "",
    attention: [],
    unread: false,
    review: "none",
    turn: 0,
    cost_usd: 0,
    tokens: { in: 0, out: 0 },
    added: 0,
    removed: 0,
    files_changed: 0,
    database: null,
    ports: {},
    listening: [],
    setup: "",
    progress: "",
    in_place: false,
    adopted: false,
    pr: null,
    issues: [],
    created_at: "",
    updated_at: "",
    error: null,
    hint: "",
    follow_ups: [],
    agent_pid: 0,
    agent_session: "",
    ...fields,
  };
}

function item(id: string, kind: Attention["kind"], raised_at: string): Attention {
  return {
    id,
    kind,
    raised_at,
    session: "s",
    conversation: "main",
    summary: "",
    detail: {},
    options: [],
    resolved_at: null,
    resolution: null,
  };
}

const event = (type: AnyEvent["type"], fields: object) =>
  ({ seq: 1, session: "s", at: "now", type, ...fields }) as AnyEvent;

test("the list begins with what needs a person and leaves out empty groups", () => {
  const groups = grouped([
    session({ id: "a" }),
    session({ id: "b", unread: true }),
    session({ id: "c", status: "preparing" }),
    session({ id: "d", status: "waiting" }),
    session({ id: "e", status: "unreachable" }),
  ]);
  expect(groups.map((group) => group.name)).toEqual([
    "needs",
    "failed",
    "queued",
    "unread",
    "idle",
  ]);
});

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
