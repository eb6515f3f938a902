/** Cars that are dragged along their lane by any pointer; where one would go is marked. */

import { type PointerEvent, type RefObject, useRef, useState } from "react";

export interface Dragging {
  readonly lane: RefObject<HTMLOListElement | null>;
  /** The session whose car is in hand, and the place that it is over, counted from one. */
  readonly held: { readonly session: string; readonly over: number } | null;
  readonly begin: (event: PointerEvent<HTMLElement>, session: string, position: number) => void;
  readonly move: (event: PointerEvent<HTMLElement>) => void;
  readonly end: (event: PointerEvent<HTMLElement>) => void;
  readonly cancel: () => void;
}

const FAR = 6;

export function useDragging(onDrop: (session: string, position: number) => void): Dragging {
  const lane = useRef<HTMLOListElement>(null);
  const grip = useRef<{ session: string; position: number; x: number; y: number } | null>(null);
  const [held, setHeld] = useState<Dragging["held"]>(null);
  const cancel = () => {
    grip.current = null;
    setHeld(null);
  };
  return {
    lane,
    held,
    cancel,
    begin: (event, session, position) => {
      if (event.button !== 0 || (event.target as Element).closest("a, button, summary, pre"))
        return;
      grip.current = { session, position, x: event.clientX, y: event.clientY };
    },
    move: (event) => {
      const from = grip.current;
      if (from === null) return;
      const far = Math.hypot(event.clientX - from.x, event.clientY - from.y) > FAR;
      if (held === null && !far) return;
      // Only what is truly dragged keeps the pointer: a press stays a press.
      event.currentTarget.setPointerCapture(event.pointerId);
      setHeld({ session: from.session, over: placeAt(lane.current, event) ?? from.position });
    },
    end: () => {
      const from = grip.current;
      if (held !== null && from !== null && held.over !== from.position) {
        onDrop(held.session, held.over);
      }
      cancel();
    },
  };
}

/** The place of the car that the pointer is nearest to. */
function placeAt(lane: HTMLElement | null, at: PointerEvent): number | null {
  let nearest: number | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const [place, card] of [...(lane?.querySelectorAll("li[data-car]") ?? [])].entries()) {
    const { left, right, top, bottom } = card.getBoundingClientRect();
    const distance = Math.hypot(at.clientX - (left + right) / 2, at.clientY - (top + bottom) / 2);
    if (distance < least) [nearest, least] = [place + 1, distance];
  }
  return nearest;
}
