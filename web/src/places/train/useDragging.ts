/** Cars that are dragged along their lane by any pointer; where one would go is marked. */

import { type MouseEvent, type PointerEvent, type RefObject, useRef, useState } from "react";

export interface Dragging {
  readonly lane: RefObject<HTMLOListElement | null>;
  /** The session whose car is in hand, and the place that it is over, counted from one. */
  readonly held: { readonly session: string; readonly over: number } | null;
  readonly begin: (event: PointerEvent<HTMLElement>, session: string, position: number) => void;
  readonly move: (event: PointerEvent<HTMLElement>) => void;
  readonly end: () => void;
  readonly cancel: () => void;
  /** What ends as a press on a link was none, if it was a drag. */
  readonly click: (event: MouseEvent) => void;
}

interface Grip {
  readonly session: string;
  readonly position: number;
  readonly x: number;
  readonly y: number;
  /** Null until it is far enough from where it was to be a drag. */
  readonly over: number | null;
}

const FAR = 6;

export function useDragging(onDrop: (session: string, position: number) => void): Dragging {
  const lane = useRef<HTMLOListElement>(null);
  // The pointer may be let go before what it did is drawn, so this is not state.
  const grip = useRef<Grip | null>(null);
  const dragged = useRef(false);
  const [held, setHeld] = useState<Dragging["held"]>(null);
  const cancel = () => {
    grip.current = null;
    setHeld(null);
  };
  return {
    lane,
    held,
    cancel,
    begin: ({ button, target, clientX: x, clientY: y }, session, position) => {
      dragged.current = false;
      if (button !== 0 || (target as Element).closest("button, summary, pre")) return;
      grip.current = { session, position, x, y, over: null };
    },
    move: (event) => {
      const from = grip.current;
      if (from === null) return;
      // It was let go where nobody heard it.
      if (event.buttons === 0) return cancel();
      const far = Math.hypot(event.clientX - from.x, event.clientY - from.y) > FAR;
      if (from.over === null && !far) return;
      dragged.current = true;
      // Only what is truly dragged keeps the pointer: a press stays a press.
      event.currentTarget.setPointerCapture(event.pointerId);
      const over = placeAt(lane.current, event) ?? from.position;
      grip.current = { ...from, over };
      setHeld({ session: from.session, over });
    },
    end: () => {
      const from = grip.current;
      cancel();
      if (from === null || from.over === null || from.over === from.position) return;
      onDrop(from.session, from.over);
    },
    click: (event) => {
      if (dragged.current) event.preventDefault();
      dragged.current = false;
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
