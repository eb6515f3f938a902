/** All sessions as the hub last showed them. */

import { create } from "zustand";
import { fetchSession } from "../../api/hub";
import type { AnyEvent, Piece, SessionView } from "../../api/types.gen";
import { readable } from "../session/session";

interface Fleet {
  readonly loaded: boolean;
  readonly sessions: Readonly<Record<string, SessionView>>;
}

export const useFleet = create<Fleet>(() => ({ loaded: false, sessions: {} }));

let upto = 0;

/** Up to which event the fleet is known. */
export const fleetKnown = (): number => upto;

/** What is told of the fleet; the answer is the news among its events. */
export function takeFleet(
  { begins = false, upto: now = 0, views = [], gone = [] }: Piece,
  events: readonly AnyEvent[],
): AnyEvent[] {
  const news = events.filter(({ seq }) => seq > upto);
  upto = now;
  useFleet.setState(({ loaded, sessions }) => {
    // A fleet that begins is whole.
    const after: Record<string, SessionView> = begins ? {} : { ...sessions };
    for (const view of views) after[view.id] = newer(after[view.id], view);
    for (const id of gone) delete after[id];
    return { loaded: loaded || begins, sessions: after };
  });
  return news;
}

/** Takes a view that came as an answer. */
export function putSession(view: SessionView): void {
  useFleet.setState(({ sessions }) => ({
    sessions: { ...sessions, [view.id]: newer(sessions[view.id], view) },
  }));
}

/** For one that the fleet leaves out, since it is archived. */
export async function loadSession(id: string): Promise<void> {
  putSession(await fetchSession(id));
}

/** An answer and what is told of the fleet come in any order. */
function newer(known: SessionView | undefined, view: SessionView): SessionView {
  return known !== undefined && known.seq > view.seq ? known : readable(view);
}
