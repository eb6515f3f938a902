import { describe, expect, it } from "vitest";
import type { AnyEvent } from "../src/api/types.gen";
import { checkStates, foldMerging, type Merging } from "../src/state/session/merging";

const event = (type: string, more: object) => ({ type, seq: 1, at: "", ...more }) as AnyEvent;
const folded = (...events: AnyEvent[]): Merging | undefined =>
  events.reduce<Merging | undefined>(foldMerging, undefined);
const states = (merging: Merging | undefined) =>
  merging && checkStates(merging).map(({ state }) => state);

const STARTED = event("merge_started", { merge: "m", into: "main", method: "merge", tip: "t" });
const CHECKS = event("checks_started", { merge: "m", commands: ["a", "b", "c"], tree: "x" });
const SAID = event("checks_reported", { command: "b", text: "half way\n" });

describe("a merge as it goes", () => {
  it("knows which check runs, and that those before it passed", () => {
    const merging = folded(STARTED, CHECKS, SAID);
    expect(states(merging)).toEqual(["passed", "running", "waits"]);
    expect(merging).toMatchObject({ tip: "t", output: "half way\n", state: "running" });
    expect(states(folded(STARTED, CHECKS))).toEqual(["running", "waits", "waits"]);
  });

  it("keeps which check failed when the merge then fails", () => {
    const failed = event("checks_finished", { merge: "m", passed: false, failed: "b", error: "3" });
    const ended = event("merge_failed", { merge: "m", error: "nothing was merged", hint: "h" });
    const merging = folded(STARTED, CHECKS, SAID, failed, ended);
    expect(states(merging)).toEqual(["passed", "failed", "waits"]);
    expect(merging).toMatchObject({ state: "failed", error: "nothing was merged", hint: "h" });
  });

  it("has all checks passed once they are, landed or not yet", () => {
    const passed = event("checks_finished", { merge: "m", passed: true });
    expect(states(folded(STARTED, CHECKS, passed))).toEqual(["passed", "passed", "passed"]);
    expect(folded(STARTED, CHECKS, passed, event("session_merged", {}))?.state).toBe("landed");
  });

  it("takes checks before a push, or on the train, for no merge by hand", () => {
    const push = event("checks_started", { merge: "", commands: ["a"], tree: "x" });
    expect(folded(STARTED, push)).toMatchObject({ tip: "", merge: "" });
    const car = event("checks_started", { merge: "car", commands: ["a"], tree: "x" });
    expect(folded(STARTED, car)).toMatchObject({ tip: "", merge: "car" });
  });
});
