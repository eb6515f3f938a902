/** Which keys in a terminal are not for its program: copy and paste as each platform does it. */

import type { Pressed } from "../page/chord";

export type Habit = "copy" | "paste" | "search" | "page" | "program";

export interface Situation {
  readonly mac: boolean;
  readonly selected: boolean;
  /** A program that has the whole screen, such as an editor, has no scrollback to search. */
  readonly wholeScreen: boolean;
}

/** Who gets the key; "page" has its own keys with Shift, and the drawer's. */
export function habitOf(event: Pressed, { mac, selected, wholeScreen }: Situation): Habit {
  const key = event.key.toLowerCase();
  if (event.ctrlKey && event.code === "Backquote") return "page";
  if (mac ? onlyMeta(event) : onlyCtrlShift(event)) {
    if (key === "c") return "copy";
    if (key === "v") return "paste";
    if (key === "f") return "search";
  }
  if (mac && event.metaKey) return "page";
  if (!mac && onlyCtrl(event)) {
    if (key === "c" && selected) return "copy";
    if (key === "f" && !wholeScreen) return "search";
  }
  return (event.ctrlKey || event.metaKey) && event.shiftKey ? "page" : "program";
}

const onlyCtrl = (event: Pressed): boolean =>
  event.ctrlKey && !event.shiftKey && !event.altKey && !event.metaKey;
const onlyCtrlShift = (event: Pressed): boolean =>
  event.ctrlKey && event.shiftKey && !event.altKey && !event.metaKey;
const onlyMeta = (event: Pressed): boolean =>
  event.metaKey && !event.ctrlKey && !event.altKey && !event.shiftKey;

/** The letter as it is with Ctrl held, for the key that a phone has not. */
export function withCtrl(data: string): string {
  if (data.length !== 1) return data;
  if (data === "?") return "\u007f";
  const code = data.toUpperCase().charCodeAt(0);
  return code >= 64 && code < 96 ? String.fromCharCode(code & 31) : data;
}
