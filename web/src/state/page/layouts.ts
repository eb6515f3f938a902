/** The layout in use, and those that a person named; kept in this browser. */

import { type Layout, type Placed, reconciled, usualLayout } from "./layout";
import { stored } from "./stored";

interface Layouts {
  readonly now: Layout | null;
  readonly named: Readonly<Record<string, Layout>>;
}

export const useLayouts = stored<Layouts>("layouts", { now: null, named: {} });

export function layoutOf(panes: readonly Placed[], now = useLayouts.getState().now): Layout {
  return now === null ? usualLayout(panes) : reconciled(now, panes);
}

export function setLayout(now: Layout | null): void {
  useLayouts.setState({ now });
}

export function nameLayout(name: string, layout: Layout): void {
  useLayouts.setState(({ named }) => ({ named: { ...named, [name]: layout } }));
}
