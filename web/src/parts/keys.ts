/** Single-key shortcuts that never fire where a person types or a dialog is open. */

import { useEffect, useRef } from "react";
import { tinykeys } from "tinykeys";

export type KeyMap = Readonly<Record<string, (event: KeyboardEvent) => void>>;

/** Binds keys while the component is shown; the newest handlers are always the ones called. */
export function useKeys(keys: KeyMap): void {
  const current = useRef(keys);
  current.current = keys;
  const names = Object.keys(keys).join("\n");
  useEffect(() => {
    const bound = names.split("\n").map((name) => [
      name,
      (event: KeyboardEvent) => {
        if (isTaken(event)) return;
        event.preventDefault();
        current.current[name]?.(event);
      },
    ]);
    return names === "" ? undefined : tinykeys(window, Object.fromEntries(bound));
  }, [names]);
}

function isTaken(event: KeyboardEvent): boolean {
  if (event.isComposing || event.defaultPrevented || event.repeat) return true;
  if (event.ctrlKey || event.metaKey || event.altKey) return true;
  if (document.querySelector("dialog[open]") !== null) return true;
  const target = event.target;
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.closest("input, textarea, select") !== null)
  );
}
