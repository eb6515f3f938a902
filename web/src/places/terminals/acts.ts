/** What can be done with a session's terminals; buttons, menu and keys agree. */

import {
  closeTerminal,
  killTerminal,
  makeTerminal,
  moveTerminal,
  renameTerminal,
  restartTerminal,
  setBell,
  type Terminal,
} from "../../api/terminals";
import type { SessionView } from "../../api/types.gen";
import { attempt } from "../../state/page/notices";
import {
  beside,
  followName,
  neighbour,
  setShown,
  showing,
  shownIn,
  type Where,
} from "../../state/terminals/shown";
import { askOf } from "../../state/terminals/wishes";

const FIRST_SIZE = { rows: 24, columns: 80 };

const namesOf = (session: SessionView): string[] => session.terminals.map(({ name }) => name);

export function show(where: Where, session: SessionView, name: string): void {
  setShown(where, session.id, showing(shownIn(where, session.id, namesOf(session)), name));
  askOf({ where, session: session.id, name }, "focus");
}

/** A new one, in place of the one in front or beside it. */
export async function open(where: Where, session: SessionView, split = false): Promise<void> {
  const { id } = session;
  const shown = shownIn(where, id, namesOf(session));
  await attempt(async () => {
    const { name } = await makeTerminal(id, FIRST_SIZE, freeName(namesOf(session)));
    setShown(where, id, split ? beside(shown, name) : showing(shown, name));
    askOf({ where, session: id, name }, "focus");
  });
}

function freeName(names: readonly string[]): string {
  for (let number = 1; ; number++) {
    const name = number === 1 ? "shell" : `shell ${number}`;
    if (!names.includes(name)) return name;
  }
}

export async function rename(session: SessionView, name: string, to: string): Promise<void> {
  if (to === "" || to === name) return;
  if (await attempt(() => renameTerminal(session.id, name, to))) followName(session.id, name, to);
}

export const move = (session: SessionView, name: string, position: number): Promise<boolean> =>
  attempt(() => moveTerminal(session.id, name, position));

export const hearBell = (session: SessionView, { name, bell }: Terminal): Promise<boolean> =>
  attempt(() => setBell(session.id, name, !bell));

export const kill = (session: SessionView, { name }: Terminal): Promise<boolean> =>
  attempt(() => killTerminal(session.id, name));

export const restart = (session: SessionView, { name }: Terminal): Promise<boolean> =>
  attempt(() => restartTerminal(session.id, name));

export const close = (session: SessionView, { name }: Terminal): Promise<boolean> =>
  attempt(() => closeTerminal(session.id, name));

/** The next or the previous one of the list, in front. */
export function step(where: Where, session: SessionView, by: number): void {
  const names = namesOf(session);
  const { front } = shownIn(where, session.id, names);
  if (front !== "") show(where, session, neighbour(names, front, by));
}

export const isOver = ({ seconds }: Terminal): boolean => seconds !== null;
