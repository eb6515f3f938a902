/** Which of a session's terminals are shown side by side, and which of them is in front. */

import { stored } from "../page/stored";

export interface Shown {
  readonly names: readonly string[];
  readonly front: string;
}
/** The pane and the drawer each show their own. */
export type Where = "pane" | "drawer";

export const MOST_BESIDE = 4;
const MOST_KEPT = 40;
const NONE: Shown = { names: [], front: "" };

export const useShown = stored<{ readonly of: Readonly<Record<string, Shown>> }>("terminals", {
  of: {},
});

/** As far as it still exists; else the first that does. */
export function existing({ names, front }: Shown, all: readonly string[]): Shown {
  const left = names.filter((name) => all.includes(name));
  const shown = left.length > 0 ? left : all.slice(0, 1);
  return { names: shown, front: shown.includes(front) ? front : (shown[0] ?? "") };
}

/** In front; in place of the one that was, unless it is shown already. */
export function showing(shown: Shown, name: string): Shown {
  if (shown.names.includes(name)) return { ...shown, front: name };
  const names = shown.names.map((one) => (one === shown.front ? name : one));
  return { names: names.includes(name) ? names : [...names, name], front: name };
}

/** To the right of the one in front, while there is room. */
export function beside(shown: Shown, name: string): Shown {
  if (shown.names.includes(name) || shown.names.length >= MOST_BESIDE) return showing(shown, name);
  const at = shown.names.indexOf(shown.front) + 1;
  return { names: shown.names.toSpliced(at, 0, name), front: name };
}

/** No longer beside the others; the last one stays. */
export function alone(shown: Shown, name: string): Shown {
  if (shown.names.length < 2) return shown;
  const names = shown.names.filter((one) => one !== name);
  return { names, front: shown.front === name ? (names.at(-1) ?? "") : shown.front };
}

export function renamed(shown: Shown, from: string, to: string): Shown {
  const names = shown.names.map((name) => (name === from ? to : name));
  return { names, front: shown.front === from ? to : shown.front };
}

/** The terminal so many steps further in the list, around its ends. */
export function neighbour(all: readonly string[], name: string, by: number): string {
  const at = all.indexOf(name);
  return all[(at + by + all.length) % all.length] ?? name;
}

const keyOf = (where: Where, session: string): string => `${where}/${session}`;

export function shownIn(where: Where, session: string, all: readonly string[]): Shown {
  return existing(useShown.getState().of[keyOf(where, session)] ?? NONE, all);
}

export const useShownIn = (where: Where, session: string, all: readonly string[]): Shown =>
  existing(useShown(({ of }) => of[keyOf(where, session)]) ?? NONE, all);

/** What was looked at last is remembered, of so many sessions. */
export function setShown(where: Where, session: string, shown: Shown): void {
  useShown.setState(({ of }) => {
    const { [keyOf(where, session)]: _, ...others } = of;
    const kept = Object.entries(others).slice(-(MOST_KEPT - 1));
    return { of: { ...Object.fromEntries(kept), [keyOf(where, session)]: shown } };
  });
}

export function followName(session: string, from: string, to: string): void {
  for (const where of ["pane", "drawer"] as const) {
    const shown = useShown.getState().of[keyOf(where, session)];
    if (shown !== undefined) setShown(where, session, renamed(shown, from, to));
  }
}
