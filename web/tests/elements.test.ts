import { expect, test } from "vitest";
import { around, elementsAt, told } from "../src/state/session/elements";

const element = (selector: string, x: number, y: number, width: number, height: number) => ({
  selector,
  text: "",
  x,
  y,
  width,
  height,
});
const ALL = [
  element("body", 0, 0, 400, 300),
  element("main", 0, 0, 400, 300),
  element("button", 40, 50, 100, 40),
];

test("of what is at a point the smallest comes first, and of equals the innermost", () => {
  const names = (x: number, y: number) => elementsAt(ALL, { x, y }).map((one) => one.selector);
  expect(names(60, 60)).toEqual(["button", "main", "body"]);
  expect(names(140, 60)).toEqual(["main", "body"]);
  expect(names(400, 300)).toEqual([]);
});

test("an element is cut out with what is around it, within the picture", () => {
  expect(around(element("a", 40, 50, 100, 40), { width: 400, height: 300 })).toEqual({
    ...{ x: 24, y: 34, width: 132, height: 72 },
  });
  expect(around(element("a", 0, 5, 400, 290), { width: 400, height: 300 })).toEqual({
    ...{ x: 0, y: 0, width: 400, height: 300 },
  });
});

test("a message has the selector, the words, the box and the page", () => {
  const button = { ...element("#buy", 40, 50, 100, 40), text: "Buy" };
  const shot = { picture: "a.png", service: "web", path: "/cart" };
  expect(told(button, shot, { width: 400, height: 300 })).toBe(
    "#buy (“Buy”), 100 × 40 at 40, 50 of /cart (web, 400 × 300)",
  );
});
