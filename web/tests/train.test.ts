import { describe, expect, it } from "vitest";
import type { Car, Train } from "../src/api/train";
import { carOf, moved, progress, standsOn } from "../src/state/fleet/train";

const car = (session: string, more: Partial<Car> = {}) =>
  ({
    session,
    car: session,
    into: "main",
    ahead: [],
    commit: "c",
    state: "waiting",
    ...more,
  }) as unknown as Car;
const lane = ["a", "b", "c"].map((one) => car(one));
const order = (cars: readonly Car[]) => cars.map(({ session }) => session).join("");

describe("the train", () => {
  it("moves a car to the place that it is dropped on, either way", () => {
    expect(order(moved(lane, "a", 3))).toBe("bca");
    expect(order(moved(lane, "c", 1))).toBe("cab");
    expect(order(moved(lane, "b", 2))).toBe("abc");
    expect(order(moved(lane, "x", 1))).toBe("abc");
  });

  it("says what a car is tested on", () => {
    expect(standsOn(car("a"))).toBe("on main");
    expect(standsOn(car("a", { ahead: ["Search tests"] }))).toBe("on main + Search tests");
    expect(standsOn(car("a", { ahead: ["One", "Two"] }))).toBe("on main + the 2 ahead");
    expect(standsOn(car("a", { commit: "" }))).toBe("");
  });

  it("guesses how far checks are by how long they took, and never that they are over", () => {
    const begun = { state: "testing", started_at: "2026-01-01T00:00:00Z" } as const;
    const now = Date.parse("2026-01-01T00:00:30Z");
    expect(progress(car("a", { ...begun, expected: 60 }), now)).toBeCloseTo(0.5);
    expect(progress(car("a", { ...begun, expected: 10 }), now)).toBeLessThan(1);
    expect(progress(car("a", { ...begun, expected: 0 }), now)).toBeNull();
    expect(progress(car("a", { expected: 60 }), now)).toBeNull();
  });

  it("knows a session's car on its way, or while its agent mends it, and no other", () => {
    const left = [car("d"), car("e", { mending: true })];
    const trains = [{ cars: lane, left } as unknown as Train];
    expect(["a", "d", "e"].map((one) => carOf(trains, one)?.session)).toEqual([
      "a",
      undefined,
      "e",
    ]);
  });
});
