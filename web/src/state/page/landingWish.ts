/** Which part of the landing pane a person asked for by key or palette. */

import { create } from "zustand";
import { runKey } from "./keys";

export type LandingPart = "commit" | "update" | "merge" | "pr";

export const useLandingWish = create<{ readonly part: LandingPart | null }>(() => ({ part: null }));

/** Shows the pane, and then goes to its part: the pane moves the focus once it is drawn. */
export function wishLanding(part: LandingPart): void {
  runKey("panes:p m");
  const then = () => useLandingWish.setState({ part });
  requestAnimationFrame(() => requestAnimationFrame(then));
}
