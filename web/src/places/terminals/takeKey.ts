/** The keys of a terminal that are not its program's. */

import { MAC } from "../../state/page/chord";
import { notify } from "../../state/page/notices";
import { habitOf } from "../../state/terminals/habits";
import type { Screen } from "./screen/screen";

const MOST_TOLD = 200;

/** Whether the key was taken from the program. */
export function takeKey(event: KeyboardEvent, screen: Screen | null, search: () => void): boolean {
  if (screen === null) return false;
  const { term } = screen;
  const habit = habitOf(event, {
    mac: MAC,
    selected: term.hasSelection(),
    wholeScreen: term.buffer.active.type === "alternate",
  });
  if (habit === "program") return false;
  if (event.type !== "keydown") return true;
  if (habit === "copy") {
    // Some browsers open their own tools by it.
    event.preventDefault();
    copySelection(screen);
  } else if (habit === "search") {
    event.preventDefault();
    search();
  }
  // To paste is the browser's business: it asks nobody then.
  return true;
}

/** What a program puts on the clipboard is said: it may be no friend. */
export function copyFor(name: string, text: string): void {
  const copied = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error("none"));
  copied.then(
    () => notify(`The program in ${name} put this on the clipboard:`, text.slice(0, MOST_TOLD)),
    () => undefined,
  );
}

export function copySelection({ term }: Screen): void {
  const text = term.getSelection();
  if (text === "") return;
  const copied = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error("none"));
  copied.then(
    () => term.clearSelection(),
    () => notify("The selection could not be copied; here it is:", text),
  );
}
