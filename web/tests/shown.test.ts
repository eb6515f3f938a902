// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import { alone, beside, existing, neighbour, renamed, showing } from "../src/state/terminals/shown";

const one = { names: ["a"], front: "a" };
const two = { names: ["a", "b"], front: "a" };

describe("terminals side by side", () => {
  it("are those that exist, else the first that does", () => {
    expect(existing({ names: ["a", "gone"], front: "gone" }, ["a", "b"])).toEqual(one);
    expect(existing({ names: [], front: "" }, ["b", "c"])).toEqual({ names: ["b"], front: "b" });
    expect(existing(one, [])).toEqual({ names: [], front: "" });
  });
  it("change places with the one in front, or come to its right", () => {
    expect(showing(two, "c")).toEqual({ names: ["c", "b"], front: "c" });
    expect(showing(two, "b")).toEqual({ names: ["a", "b"], front: "b" });
    expect(beside(two, "c")).toEqual({ names: ["a", "c", "b"], front: "c" });
  });
  it("are four at most", () => {
    const four = { names: ["a", "b", "c", "d"], front: "b" };
    expect(beside(four, "e")).toEqual({ names: ["a", "e", "c", "d"], front: "e" });
  });
  it("leave one at least", () => {
    expect(alone(two, "a")).toEqual({ names: ["b"], front: "b" });
    expect(alone(one, "a")).toBe(one);
  });
  it("keep their place under another name, and are walked around", () => {
    expect(renamed(two, "a", "z")).toEqual({ names: ["z", "b"], front: "z" });
    expect([neighbour(["a", "b"], "b", 1), neighbour(["a", "b"], "a", -1)]).toEqual(["a", "b"]);
  });
});
