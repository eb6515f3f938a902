import { expect, test } from "vitest";
import type { Pr } from "../src/api/types.gen";
import { prWords } from "../src/state/pr";

const words = (fields: Partial<Pr>) =>
  prWords({ number: 1, url: "", repo: "o/r", state: "open", ...fields }).map(({ word }) => word);

test("a pull request is told by its state, its reviewers and its checks", () => {
  expect(words({})).toEqual(["open"]);
  expect(words({ state: "draft", checks: "running" })).toEqual(["draft", "checks running"]);
  expect(words({ checks: "failed" })).toEqual(["open", "checks failed"]);
  expect(words({ checks: "passed", review: "approved" })).toEqual(["approved", "checks passed"]);
  expect(words({ review: "changes" })).toEqual(["changes wanted"]);
  expect(words({ state: "draft", review: "approved" })).toEqual(["draft"]);
});

test("checks of what is merged or closed matter no more", () => {
  expect(words({ state: "merged", checks: "failed", review: "approved" })).toEqual(["merged"]);
  expect(words({ state: "closed", checks: "running" })).toEqual(["closed"]);
});
