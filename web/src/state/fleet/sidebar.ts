/** How a person arranged the list of sessions; kept in this browser. */

import { create } from "zustand";
import { stored } from "../page/stored";

export const GROUPINGS = ["state", "repo"] as const;
export type Grouping = (typeof GROUPINGS)[number];

interface Arrangement {
  readonly by: Grouping;
  readonly pinned: readonly string[];
  /** Sessions dragged out of their usual order, in the order wished for. */
  readonly order: readonly string[];
  readonly folded: readonly string[];
}

export const useSidebar = stored<Arrangement>("sidebar", {
  by: "state",
  pinned: [],
  order: [],
  folded: [],
});

/** What is typed into the filter, and which rows are chosen; for this visit only. */
export const useSelection = create<{
  readonly filter: string;
  readonly chosen: readonly string[];
}>(() => ({ filter: "", chosen: [] }));

export const setFilter = (filter: string): void => useSelection.setState({ filter });
export const choose = (chosen: readonly string[]): void => useSelection.setState({ chosen });
export const setGrouping = (by: Grouping): void => useSidebar.setState({ by });

export function toggleChosen(id: string): void {
  useSelection.setState(({ chosen }) => ({ chosen: flipped(chosen, id) }));
}

export function togglePin(id: string): void {
  useSidebar.setState(({ pinned }) => ({ pinned: flipped(pinned, id) }));
}

export function toggleFold(group: string): void {
  useSidebar.setState(({ folded }) => ({ folded: flipped(folded, group) }));
}

/** Puts a session before or after another one, in the list as it stands now. */
export function reorder(ids: readonly string[], moved: string, target: string, after: boolean) {
  const others = ids.filter((id) => id !== moved);
  const place = others.indexOf(target) + (after ? 1 : 0);
  useSidebar.setState({ order: [...others.slice(0, place), moved, ...others.slice(place)] });
}

function flipped(all: readonly string[], one: string): string[] {
  return all.includes(one) ? all.filter((other) => other !== one) : [...all, one];
}
