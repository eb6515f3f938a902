/** All sessions as last heard of, and what each is doing right now. */

import { create } from "zustand";
import { fetchSession, fetchSessions } from "../api/hub";
import { Problem } from "../api/request";
import type { AnyEvent, SessionView } from "../api/types.gen";
import { foldView, needsFetch, readable } from "./session";
import { activity } from "./tool";

interface Fleet {
  readonly loaded: boolean;
  readonly sessions: Readonly<Record<string, SessionView>>;
  readonly activity: Readonly<Record<string, string>>;
}

export const useFleet = create<Fleet>(() => ({ loaded: false, sessions: {}, activity: {} }));

const FETCH_AFTER_MS = 120;
const waiting = new Map<string, ReturnType<typeof setTimeout>>();

export async function loadFleet(): Promise<void> {
  const all = await fetchSessions();
  const sessions = Object.fromEntries(all.map((session) => [session.id, readable(session)]));
  useFleet.setState({ loaded: true, sessions });
}

export function putSession(session: SessionView): void {
  useFleet.setState((fleet) => ({
    sessions: { ...fleet.sessions, [session.id]: readable(session) },
  }));
}

export function foldFleet(events: readonly AnyEvent[]): void {
  const { sessions, activity } = useFleet.getState();
  const next = { sessions: { ...sessions }, activity: { ...activity } };
  for (const event of events) applyEvent(next, event);
  useFleet.setState(next);
}

function applyEvent(
  next: { sessions: Record<string, SessionView>; activity: Record<string, string> },
  event: AnyEvent,
): void {
  const id = event.session ?? "";
  if (id === "") return;
  const view = next.sessions[id];
  if (view !== undefined) next.sessions[id] = foldView(view, event);
  if (event.type === "tool_called") {
    next.activity[id] = activity(event.tool, event.input ?? {}, view?.worktree ?? "");
  } else if (event.type === "turn_finished") {
    delete next.activity[id];
  }
  if (view === undefined || needsFetch(event)) fetchSoon(id);
}

/** Asks for the session once the burst of events is over. */
export function fetchSoon(id: string): void {
  if (waiting.has(id)) return;
  const timer = setTimeout(() => {
    waiting.delete(id);
    void refresh(id);
  }, FETCH_AFTER_MS);
  waiting.set(id, timer);
}

async function refresh(id: string): Promise<void> {
  try {
    putSession(await fetchSession(id));
  } catch (error) {
    if (error instanceof Problem && error.status === 404) forget(id);
    // Anything else: the socket is away too, and its return loads the fleet anew.
  }
}

function forget(id: string): void {
  useFleet.setState((fleet) => {
    const { [id]: _, ...sessions } = fleet.sessions;
    return { sessions };
  });
}
