/**
 * Where the panes of a session stand: columns side by side, stacks above each other, tabs in them.
 *
 * Pure functions; a layout never holds an empty stack or column. `known` are the panes that a
 * person has had a say about: what is missing among them was put away on purpose.
 */

export interface Stack {
  readonly panes: readonly string[];
  readonly active: string;
  readonly weight: number;
}
export interface Column {
  readonly stacks: readonly Stack[];
  readonly weight: number;
}
export interface Layout {
  readonly columns: readonly Column[];
  readonly known: readonly string[];
}
export interface Placed {
  readonly id: string;
  readonly side: "first" | "second" | "away";
}
export type Direction = "left" | "right" | "up" | "down";
/** Where a pane is dropped: among a stack's tabs, or at an edge of it. */
export interface Spot {
  readonly column: number;
  readonly stack: number;
  readonly edge: Direction | "tabs";
}

export function usualLayout(panes: readonly Placed[]): Layout {
  const side = (name: Placed["side"]) => panes.filter((p) => p.side === name).map((p) => p.id);
  const columns = [column(side("first"), 1), column(side("second"), 1.3)];
  return tidy({ columns, known: panes.map((pane) => pane.id) });
}

/** The layout with what exists now: unknown panes leave, new ones take their usual place. */
export function reconciled(layout: Layout, panes: readonly Placed[]): Layout {
  const ids = new Set(panes.map((pane) => pane.id));
  const gone = placed(layout).filter((id) => !ids.has(id));
  const fresh = panes.filter((pane) => !layout.known.includes(pane.id));
  if (gone.length === 0 && fresh.length === 0) return layout;
  const kept = gone.reduce(without, layout);
  const next = fresh
    .filter((pane) => pane.side !== "away")
    .reduce((now, pane) => added(now, pane.id, pane.side === "first" ? 0 : 1), kept);
  const whole = { ...next, known: [...ids] };
  return whole.columns.length === 0 ? usualLayout(panes) : whole;
}

export const placed = (layout: Layout): string[] =>
  layout.columns.flatMap((col) => col.stacks.flatMap((stack) => stack.panes));

export const isShown = (layout: Layout, id: string): boolean =>
  layout.columns.some((col) => col.stacks.some((stack) => stack.active === id));

/** The pane in front of its stack; one that was put away joins the last column. */
export function showing(layout: Layout, id: string): Layout {
  if (!placed(layout).includes(id)) return added(layout, id, layout.columns.length - 1);
  return mapStacks(layout, (stack) =>
    stack.panes.includes(id) ? { ...stack, active: id } : stack,
  );
}

/** Put away; the last pane stays. */
export function without(layout: Layout, id: string): Layout {
  return tidy(
    mapStacks(layout, (stack) => {
      const panes = stack.panes.filter((pane) => pane !== id);
      const active = stack.active === id ? (panes.at(-1) ?? "") : stack.active;
      return { ...stack, panes, active };
    }),
  );
}

/** One step over; at the edge a pane that has company makes a place of its own. */
export function moved(layout: Layout, id: string, to: Direction): Layout {
  const at = find(layout, id);
  if (at === null) return layout;
  const step = to === "left" || to === "up" ? -1 : 1;
  const sideways = to === "left" || to === "right";
  const next = sideways
    ? { column: at.column + step, stack: 0 }
    : { column: at.column, stack: at.stack + step };
  if (layout.columns[next.column]?.stacks[next.stack] !== undefined)
    return dropped(layout, id, { ...next, edge: "tabs" });
  return dropped(layout, id, { ...at, edge: to });
}

export function dropped(layout: Layout, id: string, { column, stack, edge }: Spot): Layout {
  const target = layout.columns[column]?.stacks[stack];
  const alone = target?.panes.length === 1 && target.panes[0] === id;
  if (target === undefined || (alone && (edge === "tabs" || edge === "up" || edge === "down")))
    return layout;
  if (alone && layout.columns[column]?.stacks.length === 1) return layout;
  // An id that no pane has keeps the target in its place while the pane leaves its old one.
  const marked = atStack(layout, column, stack, (own) => ({ ...own, panes: [...own.panes, MARK] }));
  const freed = without(marked, id);
  const at = find(freed, MARK);
  if (at === null) return layout;
  return tidy(without(inserted(freed, id, { ...at, edge }), MARK));
}

const MARK = "\u0000";

function inserted(layout: Layout, id: string, { column: col, stack, edge }: Spot): Layout {
  const own: Stack = { panes: [id], active: id, weight: 1 };
  if (edge === "tabs")
    return atStack(layout, col, stack, (old) => ({
      ...old,
      panes: [...old.panes.filter((pane) => pane !== MARK), id, MARK],
      active: id,
    }));
  const after = edge === "right" || edge === "down" ? 1 : 0;
  if (edge === "left" || edge === "right") {
    const columns = [...layout.columns];
    columns.splice(col + after, 0, { stacks: [own], weight: 1 });
    return { ...layout, columns };
  }
  const columns = layout.columns.map((one, place) => {
    if (place !== col) return one;
    const stacks = [...one.stacks];
    stacks.splice(stack + after, 0, own);
    return { ...one, stacks };
  });
  return { ...layout, columns };
}

/** Shares the room anew: that of the columns, or of one column's stacks. */
export function weighted(layout: Layout, weights: readonly number[], column?: number): Layout {
  const share = <T extends { readonly weight: number }>(all: readonly T[]): T[] =>
    all.map((one, place) => ({ ...one, weight: weights[place] ?? one.weight }));
  if (column === undefined) return { ...layout, columns: share(layout.columns) };
  const columns = layout.columns.map((one, place) =>
    place === column ? { ...one, stacks: share(one.stacks) } : one,
  );
  return { ...layout, columns };
}

function added(layout: Layout, id: string, col: number): Layout {
  const known = layout.known.includes(id) ? layout.known : [...layout.known, id];
  const target = Math.max(0, Math.min(col, layout.columns.length));
  if (layout.columns[target] === undefined)
    return { known, columns: [...layout.columns, column([id], 1)] };
  return {
    ...atStack(layout, target, 0, (stack) => ({
      ...stack,
      panes: [...stack.panes, id],
      active: id,
    })),
    known,
  };
}

function find(layout: Layout, id: string): { column: number; stack: number } | null {
  for (const [col, { stacks }] of layout.columns.entries()) {
    const stack = stacks.findIndex(({ panes }) => panes.includes(id));
    if (stack >= 0) return { column: col, stack };
  }
  return null;
}

function column(panes: readonly string[], weight: number): Column {
  return { weight, stacks: [{ panes, active: panes[0] ?? "", weight: 1 }] };
}

function mapStacks(layout: Layout, change: (stack: Stack) => Stack): Layout {
  const columns = layout.columns.map((col) => ({ ...col, stacks: col.stacks.map(change) }));
  return { ...layout, columns };
}

function atStack(layout: Layout, col: number, stack: number, change: (s: Stack) => Stack): Layout {
  const columns = layout.columns.map((one, place) =>
    place === col
      ? { ...one, stacks: one.stacks.map((own, at) => (at === stack ? change(own) : own)) }
      : one,
  );
  return { ...layout, columns };
}

function tidy(layout: Layout): Layout {
  const columns = layout.columns
    .map((col) => ({ ...col, stacks: col.stacks.filter(({ panes }) => panes.length > 0) }))
    .filter((col) => col.stacks.length > 0);
  return { ...layout, columns };
}
