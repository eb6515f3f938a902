/** Who reads at the end stays there when the room for reading grows or shrinks. */

import type { Virtualizer } from "@tanstack/react-virtual";
import { type RefObject, useEffect } from "react";

const NEAR_END = 80;

export function useEndInSight(
  scroller: RefObject<HTMLDivElement | null>,
  list: Virtualizer<HTMLDivElement, Element>,
): void {
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    let height = element.clientHeight;
    const observer = new ResizeObserver(() => {
      const grown = element.clientHeight - height;
      height = element.clientHeight;
      const before = element.scrollHeight - element.scrollTop - element.clientHeight + grown;
      if (grown !== 0 && before < NEAR_END) list.scrollToEnd();
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [scroller, list]);
}
