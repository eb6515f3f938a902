import { expect, test } from "vitest";
import type { UsageCell } from "../src/api/insight";
import { niceTop } from "../src/places/usage/scale";
import { csvOf, dayBefore, daysOf, rowsBy, spanOf, sumOf } from "../src/state/usage";

const cell = (fields: Partial<UsageCell>): UsageCell => ({
  day: "2026-03-01",
  session: "s",
  title: "Tidy",
  repo: "/r",
  agent: "claude",
  model: "opus",
  turns: 1,
  tokens_in: 0,
  tokens_out: 0,
  cost_usd: 1,
  working_seconds: 0,
  waiting_seconds: 0,
  ...fields,
});

test("sums by anything, the dearest first", () => {
  const cells = [cell({}), cell({ agent: "codex", cost_usd: 5 }), cell({ turns: 2 })];
  expect(rowsBy(cells, "agent").map(({ key, cost_usd, turns }) => [key, cost_usd, turns])).toEqual([
    ["codex", 5, 1],
    ["claude", 2, 3],
  ]);
  expect(rowsBy(cells, "session")[0]?.label).toBe("Tidy");
  expect(rowsBy([cell({ model: "" })], "model")[0]?.key).toBe("unknown");
  expect(sumOf(cells).cost_usd).toBe(7);
});

test("every day of the span is there, over months and years", () => {
  const days = daysOf([cell({}), cell({ day: "2026-02-27" })], "2026-03-01", 3);
  expect(days.map(({ key, cost_usd }) => [key, cost_usd])).toEqual([
    ["2026-02-27", 1],
    ["2026-02-28", 0],
    ["2026-03-01", 1],
  ]);
  expect(dayBefore("2026-01-01", 1)).toBe("2025-12-31");
  expect(spanOf([cell({ day: "2026-02-27" })], "2026-03-01")).toBe(3);
  expect(spanOf([], "2026-03-01")).toBe(1);
});

test("a spreadsheet gets text where a title looks like a formula", () => {
  const text = csvOf([cell({ title: '=HYPERLINK("x")' }), cell({ title: "a, b\nc" })]);
  const [head, first] = text.split("\r\n");
  expect(head?.startsWith("day,session,title")).toBe(true);
  expect(first).toContain(`"'=HYPERLINK(""x"")"`);
  expect(text).toContain('"a, b\nc"');
});

test.each([
  [0, 10, 1],
  [0.42, 10, 0.5],
  [3, 10, 4],
  [90, 60, 120],
  [3700, 60, 7200],
])("an axis for %d ends at a round value", (most, ground, top) =>
  expect(niceTop(most, ground)).toBeCloseTo(top));
