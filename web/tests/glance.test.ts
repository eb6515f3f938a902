import { expect, test } from "vitest";
import type { AnyEvent, TextDelta } from "../src/api/types.gen";
import { isList, tasksOf } from "../src/places/new/tasks";
import { foldGlance, lastHunk, layGlance, NOTHING } from "../src/state/fleet/glance";
import { newsOf } from "../src/state/inbox/announce";
import { found } from "../src/state/page/search";
import { session } from "./sample";

const event = (seq: number, type: AnyEvent["type"], fields: object = {}) =>
  ({ seq, session: "s", at: "2026-01-01T00:00:00Z", type, ...fields }) as AnyEvent;
const delta = (message: string, offset: number, text: string) =>
  ({
    type: "text_delta",
    live: true,
    session: "s",
    message,
    offset,
    text,
    parent: "",
  }) as TextDelta;

test("a glance holds the last words, the running tool, and the files, latest first", () => {
  const glance = [
    event(1, "agent_message", { message: "m", text: "First." }),
    event(2, "tool_called", { call: "c", tool: "Edit", input: { file_path: "/w/a.py" } }),
    event(3, "diff_changed", { path: "a.py", status: "modified", added: 3, removed: 1 }),
    event(4, "diff_changed", { path: "b.py", status: "added", added: 9 }),
    event(4, "agent_message", { message: "m", text: "Known already." }),
  ].reduce((now, one) => foldGlance(now, one, "/w"), NOTHING);
  expect(glance.words).toBe("First.");
  expect(glance.tool).toEqual({ call: "c", name: "Edit", on: "a.py" });
  expect(glance.files.map(({ path }) => path)).toEqual(["b.py", "a.py"]);
  expect(foldGlance(glance, event(5, "tool_finished", { call: "c" }), "").tool).toBeNull();
});

test("words on their way grow in place, and a gap or another's frame is let go", () => {
  const one = layGlance(NOTHING, delta("m", 0, "Grüße 👋 "));
  const two = layGlance(one, delta("m", 8, "all"));
  expect(two.words).toBe("Grüße 👋 all");
  expect(layGlance(two, delta("m", 99, "lost")).words).toBe("Grüße 👋 all");
  expect(layGlance(two, delta("n", 0, "Next")).words).toBe("Next");
  expect(layGlance(two, { ...delta("m", 11, "x"), thinking: true }).words).toBe(two.words);
});

test("the last hunk begins right before its first change", () => {
  const patch =
    "diff --git a/x b/x\n@@ -1 +1 @@\n-a\n+b\n@@ -9,4 +9,5 @@ def f\n one\n two\n+three\n four\n";
  expect(lastHunk(patch, 40)).toEqual([" two", "+three", " four"]);
  expect(lastHunk("", 40)).toEqual([]);
});

test("a pasted list becomes tasks without its marks, and prose stays one", () => {
  const list = "- [ ] Add a limit\n2. Write tests\n\n* Fix 3.14\n";
  expect(isList(list)).toBe(true);
  expect(tasksOf(list)).toEqual(["Add a limit", "Write tests", "Fix 3.14"]);
  expect(isList("Add a limit.\n\nIt must hold per client.")).toBe(false);
});

test("what the hub tells is news while it is fresh, unless it was seen or muted", () => {
  const about = session({ title: "Limits" });
  const now = Date.parse("2026-01-01T00:00:00.000Z");
  const told = (fields: object) =>
    newsOf(event(1, "person_notified", { text: "asks", about: "q", ...fields }), about, now);
  expect(told({ kind: "plan" })).toMatchObject({ kind: "needs", title: "Limits", text: "asks" });
  expect(told({ kind: "finished" })?.kind).toBe("finished");
  expect(told({ kind: "finished", told: "seen" })).toBeNull();
  expect(told({ kind: "plan", told: "muted" })).toBeNull();
  const old = event(2, "person_notified", { kind: "plan", text: "asks", about: "q" });
  expect(newsOf(old, about, now + 3_600_000)).toBeNull();
  expect(newsOf(event(3, "tool_called"), about, now)).toBeNull();
});

test("the palette finds by beginnings first, then by letters in order", () => {
  const all = ["Go to inbox", "New session", "Show the keys"].map((label) => ({ label, more: "" }));
  expect(found(all, "inb", 9).map(({ label }) => label)).toEqual(["Go to inbox"]);
  expect(found(all, "nsn", 9).map(({ label }) => label)).toEqual(["New session"]);
  expect(found(all, "s", 9)[0]?.label).toBe("Show the keys");
  expect(found(all, "zzz", 9)).toEqual([]);
});
