/** Keys of the active card. A card out of sight is shown first, so nobody answers unread. */

import type { RefObject } from "react";
import { type KeyMap, useKeys } from "../keys";

export function useCardKeys(
  card: RefObject<HTMLElement | null>,
  active: boolean,
  keys: KeyMap,
): void {
  const guarded = Object.entries(keys).map(([name, press]) => [
    name,
    (event: KeyboardEvent) => {
      if (card.current === null) return;
      if (isInSight(card.current)) press(event);
      else card.current.scrollIntoView({ block: "nearest" });
    },
  ]);
  useKeys(active ? Object.fromEntries(guarded) : {});
}

function isInSight(element: HTMLElement): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > 0 && top < window.innerHeight && bottom - 40 < window.innerHeight;
}
