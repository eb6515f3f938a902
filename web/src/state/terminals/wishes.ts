/** How this browser likes its terminals, and what was asked of one of them a moment ago. */

import { create } from "zustand";
import { stored } from "../page/stored";
import { shownIn, type Where } from "./shown";

interface Wishes {
  readonly open: boolean;
  /** Of the window's height. */
  readonly height: number;
  /** The session whose terminals the drawer shows where no session is on the screen. */
  readonly session: string;
  /** Reads the screen out, and gives it to assistive programs as text. */
  readonly reader: boolean;
  readonly size: number;
  /** What is only watched here: session and name, the latest last. */
  readonly watched: readonly string[];
}

export const SIZES = { least: 8, usual: 12, most: 24 };
const LEAST_HEIGHT = 0.15;
const MOST_HEIGHT = 0.85;

export const useTerminalWishes = stored<Wishes>("terminal-wishes", {
  open: false,
  height: 0.36,
  session: "",
  reader: false,
  size: SIZES.usual,
  watched: [],
});

const MOST_WATCHED = 40;

export const isWatched = (watched: readonly string[], session: string, name: string): boolean =>
  watched.includes(`${session}/${name}`);

export function setWatched(session: string, name: string, watch: boolean): void {
  const one = `${session}/${name}`;
  useTerminalWishes.setState(({ watched }) => {
    const others = watched.filter((other) => other !== one);
    return { watched: watch ? [...others, one].slice(-MOST_WATCHED) : others };
  });
}

export function setHeight(share: number): void {
  const height = Math.min(MOST_HEIGHT, Math.max(LEAST_HEIGHT, share));
  useTerminalWishes.setState({ height });
}

export function setSize(by: number): void {
  useTerminalWishes.setState(({ size }) => ({
    size: Math.min(SIZES.most, Math.max(SIZES.least, size + by)),
  }));
}

/** A terminal that is, or will soon be, shown somewhere. */
export interface Named {
  readonly where: Where;
  readonly session: string;
  readonly name: string;
}

interface Asked {
  readonly of: Named | null;
  readonly what: "focus" | "search";
}

export const useAsked = create<Asked>(() => ({ of: null, what: "focus" }));

/** Asks a terminal to take the focus, or to open its search, as soon as it is there. */
export const askOf = (of: Named, what: Asked["what"]): void => useAsked.setState({ of, what });

/** The one in front is to take the focus; where there is none, the way to the first. */
export function askFront(
  where: Where,
  session: string,
  all: readonly { readonly name: string }[],
): void {
  const { front } = shownIn(
    where,
    session,
    all.map(({ name }) => name),
  );
  askOf({ where, session, name: front }, "focus");
}

export const isAsked = (of: Named | null, one: Named): boolean =>
  of !== null && of.where === one.where && of.session === one.session && of.name === one.name;
