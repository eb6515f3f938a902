/** Keys of the active card. A card out of sight is shown first, so nobody answers unread. */

import type { RefObject } from "react";
import { type Bindings, useKeys } from "../../state/page/keys";

export function useCardKeys(
  card: RefObject<HTMLElement | null>,
  active: boolean,
  keys: Bindings,
): void {
  const guarded = Object.entries(keys).map(([name, { label, run }]) => [
    name,
    {
      label,
      run: (event: KeyboardEvent) => {
        if (card.current === null) return;
        if (isInSight(card.current)) run(event);
        else card.current.scrollIntoView({ block: "nearest" });
      },
    },
  ]);
  useKeys("answer", active ? Object.fromEntries(guarded) : {});
}

function isInSight(element: HTMLElement): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > 0 && top < window.innerHeight && bottom - 40 < window.innerHeight;
}
