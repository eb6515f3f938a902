import { expect, test } from "vitest";
import type { Conflict } from "../src/api/conflicts";
import { between, conflictCount } from "../src/state/fleet/conflicts";

function pair(a: string, b: string, kind: "conflict" | "overlap"): Conflict {
  const path = { path: "f", kind, reason: "", lines: { a: [], b: [] } };
  return { a, b, base: false, paths: [path], first: a, suggestion: "" };
}

test("a badge counts whom a session really conflicts with, on either side", () => {
  const all = [pair("x", "y", "conflict"), pair("z", "x", "conflict"), pair("x", "w", "overlap")];
  expect(conflictCount(all, "x")).toBe(2);
  expect(conflictCount(all, "y")).toBe(1);
  expect(conflictCount(all, "w")).toBe(0);
});

test("a meeting is found whichever side is named first", () => {
  const all = [pair("x", "y", "conflict")];
  expect(between(all, "y", "x")).toBe(all[0]);
  expect(between(all, "x", "z")).toBeUndefined();
});
