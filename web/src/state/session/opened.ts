/** What a person opened or folded in conversations; kept here, since rows come and go. */

import { create } from "zustand";
import { stored } from "../page/stored";

export const LEVELS = ["brief", "normal", "full"] as const;
export type Level = (typeof LEVELS)[number];

interface Opened {
  readonly opened: Readonly<Record<string, boolean>>;
}

export const useOpened = create<Opened>(() => ({ opened: {} }));
/** How much of the agent's work stands between its words. */
export const useLevel = stored<{ readonly level: Level }>("verbosity", { level: "normal" });

export function setOpened(id: string, open: boolean): void {
  useOpened.setState(({ opened }) => ({ opened: { ...opened, [id]: open } }));
}

/** Another level begins with nothing opened or folded by hand. */
export function setLevel(level: Level): void {
  useOpened.setState({ opened: {} });
  useLevel.setState({ level });
}

export function nextLevel(): void {
  const at = LEVELS.indexOf(useLevel.getState().level);
  setLevel(LEVELS[(at + 1) % LEVELS.length] ?? "normal");
}
