/** Dragging a pane: what travels, and where it would land. */

import type { Direction } from "../../../state/page/layout";

export const PANE_DRAG = "application/x-manyhands-pane";
const EDGE = 0.25;

/** Near an edge the pane makes a place of its own there, in the middle it joins the tabs. */
export function edgeAt(x: number, y: number, box: DOMRect): Direction | "tabs" {
  const [across, down] = [(x - box.left) / box.width, (y - box.top) / box.height];
  if (across < EDGE) return "left";
  if (across > 1 - EDGE) return "right";
  return down > 1 - EDGE ? "down" : "tabs";
}
