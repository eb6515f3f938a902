/** What is to be seen on a picture of a preview, and what a person says of it. */

import type { ElementView } from "../../api/types.gen";
import type { ShotOf } from "../page/screen";
import type { Mark, Point } from "./marks";
import { visibleBidi } from "./plain";

/** Pixels around an element, which show where it stands. */
const MARGIN = 16;
const LONGEST_TEXT = 80;

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** What is there, the smallest first; of equals, the innermost. */
export function elementsAt(elements: readonly ElementView[], at: Point): readonly ElementView[] {
  const area = ({ width, height }: ElementView) => width * height;
  return elements
    .filter((one) => holds(one, at))
    .toReversed()
    .sort((one, other) => area(one) - area(other));
}

function holds({ x, y, width, height }: ElementView, at: Point): boolean {
  return x <= at.x && at.x < x + width && y <= at.y && at.y < y + height;
}

export function outlineOf({ x, y, width, height }: Box): Mark {
  return {
    tool: "box",
    points: [
      { x, y },
      { x: x + width, y: y + height },
    ],
  };
}

/** The part of a picture that shows an element. */
export function around(element: ElementView, picture: { width: number; height: number }): Box {
  const x = Math.max(0, element.x - MARGIN);
  const y = Math.max(0, element.y - MARGIN);
  const right = Math.min(picture.width, element.x + element.width + MARGIN);
  const bottom = Math.min(picture.height, element.y + element.height + MARGIN);
  return { x, y, width: right - x, height: bottom - y };
}

/** Its selector and words, which the page gave itself and which may be anything. */
export function nameOf({ selector, text }: ElementView): string {
  const words = visibleBidi(text).slice(0, LONGEST_TEXT);
  return `${visibleBidi(selector)}${words && ` (“${words}”)`}`;
}

export function told(
  element: ElementView,
  { service, path }: ShotOf,
  window: { width: number; height: number },
): string {
  const { x, y, width, height } = element;
  const where = `${width} × ${height} at ${x}, ${y}`;
  return `${nameOf(element)}, ${where} of ${path} (${service}, ${window.width} × ${window.height})`;
}
