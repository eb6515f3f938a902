/** How this browser likes to see diffs. */

import { create } from "zustand";

interface DiffView {
  readonly split: boolean;
  readonly wrap: boolean;
  readonly tree: boolean;
}

const KEY = "manyhands.diff";

function load(): DiffView {
  const usual = { split: false, wrap: false, tree: true };
  try {
    return { ...usual, ...JSON.parse(localStorage.getItem(KEY) ?? "{}") };
  } catch {
    return usual;
  }
}

export const useDiffView = create<DiffView>(load);

export function setDiffView(change: Partial<DiffView>): void {
  useDiffView.setState(change);
  localStorage.setItem(KEY, JSON.stringify(useDiffView.getState()));
}
