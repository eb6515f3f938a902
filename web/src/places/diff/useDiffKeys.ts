/** Keys of the diff: files, lines, viewed, comment. Lines move only while the diff has the focus. */

import { type FocusEvent, useState } from "react";
import { type Bindings, useKeys } from "../../state/page/keys";
import type { DiffActions } from "./actions";
import { blockTop, type Layout, type Placed, rowsBetween, rowTop } from "./layout";
import { placeOfRow } from "./rows/range";
import type { Marks } from "./useMarks";

interface Input {
  readonly layout: Layout;
  readonly marks: Marks;
  readonly actions: DiffActions;
  readonly current: string;
  readonly scroller: React.RefObject<HTMLDivElement | null>;
  readonly show: (path: string) => void;
}

interface Watch {
  readonly onFocus: (event: FocusEvent) => void;
  readonly onBlur: () => void;
}

export function useDiffKeys(input: Input): Watch {
  const [focused, setFocused] = useState(false);
  const { layout, marks, actions, current, show } = input;
  const file = (by: number) => {
    const paths = layout.blocks.map(({ path }) => path).filter(Boolean);
    const place = paths.indexOf(current);
    const next = paths[Math.max(0, Math.min(paths.length - 1, place + by))];
    if (next !== undefined) show(next);
  };
  const view = () => {
    const row = layout.blocks.find(({ path }) => path === current)?.rows[0];
    if (row?.kind === "file" && actions.isNow) actions.view(row.diff);
  };
  const comment = () => {
    const at = cursorRow(input);
    const place = at === null ? null : placeOfRow(at);
    if (place !== null) actions.comment(place, place);
    else if (current !== "") actions.commentFile(current);
  };
  const step = (by: number) => {
    const next = nextLine(input, by);
    if (next === null) return;
    marks.setCursor(() => ({ path: next.path, key: next.row.key }));
    intoSight(input.scroller.current, next.top);
  };
  const lines: Bindings = {
    j: { label: "Next line", run: () => step(1), repeats: true },
    k: { label: "Previous line", run: () => step(-1), repeats: true },
  };
  useKeys("diff", {
    "[": { label: "Previous file", run: () => file(-1), repeats: true },
    "]": { label: "Next file", run: () => file(1), repeats: true },
    v: { label: "Viewed or not", run: view },
    c: { label: "Comment on the line or file", run: comment },
    ...(focused && lines),
  });
  return {
    onFocus: ({ target }) => setFocused(target === input.scroller.current),
    onBlur: () => setFocused(false),
  };
}

function cursorRow({ layout, marks }: Input): Placed | null {
  const { cursor } = marks;
  if (cursor === null) return null;
  const top = rowTop(layout, cursor.path, cursor.key);
  if (top === null) return null;
  return rowsBetween(layout, top, top).find(({ row }) => row.key === cursor.key) ?? null;
}

/** The line below or above the cursor; without one, the first in sight. */
function nextLine(input: Input, by: number): Placed | null {
  const { layout, scroller } = input;
  const at = cursorRow(input);
  const from = at?.top ?? (scroller.current?.scrollTop ?? 0) + 40;
  const reach = 4000;
  const near = rowsBetween(layout, from - (by < 0 ? reach : 0), from + (by > 0 ? reach : 0));
  const lines = near.filter((placed) => placeOfRow(placed) !== null);
  const place = lines.findIndex(({ row }) => row.key === at?.row.key);
  if (place < 0) return (by > 0 ? lines[0] : lines.at(-1)) ?? null;
  return lines[place + by] ?? null;
}

function intoSight(element: HTMLDivElement | null, top: number): void {
  if (element === null) return;
  const [from, to] = [element.scrollTop + 60, element.scrollTop + element.clientHeight - 60];
  if (top < from) element.scrollTop = top - 60;
  else if (top > to) element.scrollTop = top - element.clientHeight + 60;
}

export function scrollToFile(element: HTMLDivElement | null, layout: Layout, path: string): void {
  const top = blockTop(layout, path);
  if (element !== null && top !== null) element.scrollTop = top;
}
