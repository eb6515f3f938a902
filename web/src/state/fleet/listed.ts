/** The sessions as the list shows them: filtered, grouped, pinned first, in a person's own order. */

import { useDeferredValue, useMemo } from "react";
import type { SessionView } from "../../api/types.gen";
import { waitsFor } from "../inbox/attention";
import { useFleet } from "./fleet";
import { groupOf, TITLES } from "./groups";
import { type Grouping, useSelection, useSidebar } from "./sidebar";

export interface ListGroup {
  readonly name: string;
  readonly title: string;
  readonly sessions: readonly SessionView[];
}

export interface Arranging {
  readonly by: Grouping;
  readonly pinned: readonly string[];
  readonly order: readonly string[];
  readonly filter: string;
}

export function arranged(sessions: readonly SessionView[], how: Arranging): ListGroup[] {
  const visible = sessions.filter(
    (session) => session.status !== "archived" && matches(session, how.filter),
  );
  const shown = inOrder(visible, how.order);
  const pinned = shown.filter((session) => how.pinned.includes(session.id));
  const others = shown.filter((session) => !how.pinned.includes(session.id));
  const groups = how.by === "repo" ? byRepo(others) : byState(others);
  return [{ name: "pinned", title: "Pinned", sessions: pinned }, ...groups].filter(
    (group) => group.sessions.length > 0,
  );
}

/** Every word of the filter must be found in what the row says. */
export function matches(session: SessionView, filter: string): boolean {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return true;
  const said = [
    session.title,
    session.branch,
    session.agent,
    session.model,
    session.status,
    session.repo,
    session.id,
    ...session.attention.map(waitsFor),
  ]
    .join(" ")
    .toLowerCase();
  return words.every((word) => said.includes(word));
}

function byState(sessions: readonly SessionView[]): ListGroup[] {
  return TITLES.map(([name, title]) => ({
    name,
    title,
    sessions: sessions.filter((session) => groupOf(session) === name),
  }));
}

function byRepo(sessions: readonly SessionView[]): ListGroup[] {
  const repos = [...new Set(sessions.map((session) => session.repo))].sort();
  return repos.map((repo) => ({
    name: repo,
    title: repo.slice(repo.lastIndexOf("/") + 1),
    sessions: sessions.filter((session) => session.repo === repo),
  }));
}

/** Oldest first; those that a person moved share their places in the order that they were given. */
function inOrder(sessions: readonly SessionView[], order: readonly string[]): SessionView[] {
  const places = new Map(order.map((id, place) => [id, place]));
  const place = (session: SessionView) => places.get(session.id) ?? -1;
  const aged = [...sessions].sort(
    (a, b) => a.created_at.localeCompare(b.created_at) || a.id.localeCompare(b.id),
  );
  const moved = aged.filter((session) => place(session) >= 0).sort((a, b) => place(a) - place(b));
  return aged.map((session) => (place(session) < 0 ? session : (moved.shift() ?? session)));
}

/** The groups now, kept up to date. */
export function useListed(): ListGroup[] {
  const sessions = useFleet((fleet) => fleet.sessions);
  const { by, pinned, order } = useSidebar();
  // What is typed shows at once; the list may follow a moment later.
  const filter = useDeferredValue(useSelection((selection) => selection.filter));
  return useMemo(
    () => arranged(Object.values(sessions), { by, pinned, order, filter }),
    [sessions, by, pinned, order, filter],
  );
}

/** The sessions from top to bottom, as they stand now. */
export function listed(): SessionView[] {
  const sessions = Object.values(useFleet.getState().sessions);
  const { filter } = useSelection.getState();
  return arranged(sessions, { ...useSidebar.getState(), filter }).flatMap((g) => g.sessions);
}
