/** Keeps the row at the top of the sight where it is when rows come and go around it. */

import type { Virtualizer } from "@tanstack/react-virtual";
import { type RefObject, useLayoutEffect, useRef } from "react";
import { HEIGHTS, type Row } from "./rows";

type List = Virtualizer<HTMLDivElement, Element>;

export function useSteadyScroll(
  rows: readonly Row[],
  list: List,
  scroller: RefObject<HTMLDivElement | null>,
): void {
  const before = useRef(rows);
  useLayoutEffect(() => {
    const old = before.current;
    before.current = rows;
    const top = scroller.current?.scrollTop ?? 0;
    if (old === rows || top === 0) return;
    const next = steadyTop(old, rows, top);
    if (next !== null && next !== top) list.scrollToOffset(next);
  }, [rows, list, scroller]);
}

/** Where to scroll so that the first row in sight that still exists does not move. */
export function steadyTop(old: readonly Row[], rows: readonly Row[], top: number): number | null {
  const starts = new Map<string, number>();
  let start = 0;
  for (const row of rows) {
    starts.set(row.key, start);
    start += HEIGHTS[row.kind];
  }
  let at = 0;
  for (const row of old) {
    const end = at + HEIGHTS[row.kind];
    const moved = end > top ? starts.get(row.key) : undefined;
    if (moved !== undefined) return Math.max(0, moved + top - at);
    at = end;
  }
  return null;
}
