/** Keys of the list: filter, choose, pin, and move in the order. */

import { useRoute } from "wouter";
import { listed } from "../../state/fleet/listed";
import { choose, reorder, toggleChosen, togglePin, useSelection } from "../../state/fleet/sidebar";
import { useKeys } from "../../state/page/keys";
import { SESSION } from "../routes";

export function useFleetKeys(): void {
  const [, at] = useRoute(SESSION);
  const choosing = useSelection((selection) => selection.chosen.length > 0);
  const current = (): string => {
    const row = document.activeElement
      ?.closest<HTMLElement>(".place")
      ?.querySelector("[data-session]");
    return row?.getAttribute("data-session") ?? at?.id ?? "";
  };
  const on = (act: (id: string) => void) => () => {
    const id = current();
    if (id !== "") act(id);
  };
  useKeys("list", {
    "/": {
      label: "Filter the sessions",
      run: () => document.querySelector<HTMLElement>("[data-testid=filter]")?.focus(),
    },
    x: { label: "Choose this session", run: on(toggleChosen) },
    "p p": { label: "Pin this session", run: on(togglePin) },
    "Alt+Shift+ArrowUp": { label: "Move the session up", run: on((id) => move(id, -1)) },
    "Alt+Shift+ArrowDown": { label: "Move the session down", run: on((id) => move(id, 1)) },
    ...(choosing ? { Escape: { label: "Choose none", run: () => choose([]) } } : {}),
  });
}

function move(id: string, by: number): void {
  const ids = listed().map((session) => session.id);
  const target = ids[ids.indexOf(id) + by];
  if (target !== undefined) reorder(ids, id, target, by > 0);
}
