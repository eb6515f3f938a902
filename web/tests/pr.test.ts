import { expect, test } from "vitest";
import type { AnyEvent, Pr } from "../src/api/types.gen";
import { noteOf } from "../src/state/session/note";
import { obstacle, prWords } from "../src/state/session/pr";

const words = (fields: Partial<Pr>) =>
  prWords({ number: 1, url: "", repo: "o/r", state: "open", ...fields }).map(({ word }) => word);

test("a pull request is told by its state, its reviewers and its checks", () => {
  expect(words({})).toEqual(["open"]);
  expect(words({ state: "draft", checks: "running" })).toEqual(["draft", "checks running"]);
  expect(words({ checks: "failed" })).toEqual(["open", "checks failed"]);
  expect(words({ checks: "passed", review: "approved" })).toEqual(["approved", "checks passed"]);
  expect(words({ review: "changes" })).toEqual(["changes"]);
  expect(words({ state: "draft", review: "approved" })).toEqual(["draft"]);
});

test("checks of what is merged or closed matter no more", () => {
  expect(words({ state: "merged", checks: "failed", review: "approved" })).toEqual(["merged"]);
  expect(words({ state: "closed", checks: "running" })).toEqual(["closed"]);
});

test("what keeps a pull request from its merge is said, the nearest first", () => {
  const why = (fields: Partial<Pr>, mergeable = "clean") =>
    obstacle({ number: 1, url: "", repo: "o/r", state: "open", ...fields }, mergeable);
  expect(why({ checks: "failed", review: "changes" }, "blocked")).toBe("Checks failed");
  expect(why({ checks: "passed", review: "approved" })).toBe("");
  expect(why({}, "dirty")).toBe("In conflict with the base");
});

test("landing leaves sentences in the conversation, and no mere overlap is called a conflict", () => {
  const said = (event: object) => noteOf({ seq: 1, at: "", ...event } as AnyEvent)?.text ?? null;
  expect(said({ type: "commit_started" })).toBeNull();
  expect(said({ type: "commit_made", commit: "a0e552c99", message: "Greet\n\nAll." })).toBe(
    "Committed a0e552c Greet",
  );
  const draft = { kind: "thread", author: "dana", path: "a.py", line: 3 };
  expect(said({ type: "review_draft_imported", draft })).toBe("dana has a remark on a.py:3");
  const overlap = { path: "a.py", kind: "overlap" };
  expect(said({ type: "conflict_changed", paths: [overlap] })).toBeNull();
  expect(
    said({
      type: "conflict_changed",
      base: "main",
      paths: [overlap, { path: "b", kind: "conflict" }],
    }),
  ).toBe("In conflict with main: b");
  expect(said({ type: "conflict_changed", paths: [] })).toBe(
    "No conflict with another session any more",
  );
});
