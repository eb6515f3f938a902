/** From turn to turn, and into the message box, by key. */

import type { Virtualizer } from "@tanstack/react-virtual";
import { useKeys } from "../../state/page/keys";
import type { Entry } from "./entries";

export function useTurnKeys(
  entries: readonly Entry[],
  list: Virtualizer<HTMLDivElement, Element>,
): void {
  const go = (by: 1 | -1) => {
    const top = (list.scrollOffset ?? 0) + 30;
    const starts = entries.flatMap((entry, place) => (isSaid(entry) ? [place] : []));
    const at = starts.map((place) => list.getOffsetForIndex(place, "start")?.[0] ?? 0);
    const next =
      by > 0 ? at.findIndex((offset) => offset > top) : at.findLastIndex((o) => o < top - 60);
    const place = starts[next];
    if (place !== undefined) list.scrollToIndex(place, { align: "start" });
  };
  useKeys("conversation", {
    "}": { label: "Your next message", run: () => go(1), repeats: true },
    "{": { label: "Your message before", run: () => go(-1), repeats: true },
    m: { label: "Write a message", run: focusMessage },
  });
}

function isSaid(entry: Entry): boolean {
  return entry.kind === "item" && entry.item.kind === "user";
}

function focusMessage(): void {
  document.querySelector<HTMLTextAreaElement>("[data-testid=message]")?.focus();
}
