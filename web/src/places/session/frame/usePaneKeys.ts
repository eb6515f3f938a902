/** Keys that show, move and put away panes. */

import type { SessionView } from "../../../api/types.gen";
import { type Bindings, useKeys } from "../../../state/page/keys";
import { type Direction, moved, showing, without } from "../../../state/page/layout";
import { setLayout } from "../../../state/page/layouts";
import { PANES, paneOf } from "../../panes";
import { useFront } from "./OnePane";
import type { Arrange } from "./Panes";

const MOVES: readonly (readonly [string, Direction])[] = [
  ["Shift+ArrowLeft", "left"],
  ["Shift+ArrowRight", "right"],
  ["Shift+ArrowUp", "up"],
  ["Shift+ArrowDown", "down"],
];

export function usePaneKeys(session: SessionView, arrange: Arrange): void {
  const show = (id: string) => {
    useFront.setState({ front: id });
    arrange((layout) => showing(layout, id));
    const { focus } = paneOf(id) ?? {};
    if (focus) focus(session);
    else requestAnimationFrame(() => focusPane(id));
  };
  const shows: Bindings = Object.fromEntries(
    PANES.map(({ id, key, title }) => [
      key,
      { label: `Show ${title.toLowerCase()}`, run: () => show(id) },
    ]),
  );
  const moves: Bindings = Object.fromEntries(
    MOVES.map(([key, to]) => [
      key,
      { label: `Move the pane ${to}`, run: () => arrange((old) => moved(old, current(), to)) },
    ]),
  );
  useKeys("panes", {
    ...shows,
    ...moves,
    "p x": { label: "Put the pane away", run: () => arrange((old) => without(old, current())) },
    "p 0": { label: "Panes as they were at first", run: () => setLayout(null) },
  });
}

/** The pane that has the focus, else the last one shown. */
function current(): string {
  const at = document.activeElement?.closest<HTMLElement>(".pane");
  return at?.dataset.pane ?? useFront.getState().front;
}

/** What scrolls comes before its tools, so that the next key moves in it. */
function focusPane(id: string): void {
  const pane = document.querySelector(`.pane[data-pane="${id}"]`);
  const found = (what: string) => pane?.querySelector<HTMLElement>(what);
  (found("[tabindex='0']") ?? found("button, a[href]"))?.focus();
}
