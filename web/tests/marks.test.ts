import { expect, test } from "vitest";
import { grown, isSeen, linesOf, type Mark } from "../src/state/session/marks";

const at = (x: number, y: number) => ({ x, y });
const begun = (tool: Mark["tool"]): Mark => ({ tool, points: [at(10, 10)] });

test("a pen keeps all that it went over, a box and an arrow only their ends", () => {
  for (const [tool, count] of [
    ["pen", 3],
    ["box", 2],
    ["arrow", 2],
  ] as const) {
    const mark = grown(grown(begun(tool), at(20, 20)), at(50, 40));
    expect(mark.points).toHaveLength(count);
    expect(mark.points.at(-1)).toEqual(at(50, 40));
  }
});

test("a press that went nowhere is a dot of the pen's and nothing else", () => {
  expect(isSeen(begun("pen"))).toBe(true);
  expect(isSeen(begun("box"))).toBe(false);
  expect(isSeen(grown(begun("arrow"), at(11, 11)))).toBe(false);
  expect(isSeen(grown(begun("arrow"), at(10, 15)))).toBe(true);
});

test("a box closes, and an arrow's head ends where it points, behind nothing", () => {
  const box = linesOf(grown(begun("box"), at(50, 40)), 3)[0] ?? [];
  expect(box[0]).toEqual(box.at(-1));
  const [, head = []] = linesOf(grown(begun("arrow"), at(110, 10)), 3);
  expect(head[1]).toEqual(at(110, 10));
  expect(head[0]?.x).toBeCloseTo(head[2]?.x ?? 0);
  expect(head[0]?.x).toBeLessThan(110);
  const [, short = []] = linesOf(grown(begun("arrow"), at(14, 10)), 3);
  expect(short[0]?.x).toBeGreaterThanOrEqual(10);
});
