/** The keys that work everywhere. */

import { useLocation } from "wouter";
import { useKeys } from "../parts/keys";
import { useFleet } from "../state/fleet";
import { grouped } from "../state/groups";
import { setCover } from "../state/screen";
import { CONFLICTS, INBOX, SESSIONS, sessionPath } from "./routes";

export function useGlobalKeys(): void {
  const [path, navigate] = useLocation();
  const step = (by: number) => {
    const next = neighbour(path, by);
    if (next !== null) navigate(sessionPath(next));
  };
  useKeys({
    n: () => setCover({ name: "new" }),
    "Shift+?": () => setCover({ name: "help" }),
    "g i": () => navigate(INBOX),
    "g c": () => navigate(CONFLICTS),
    "g s": () => navigate(SESSIONS),
    // The inbox moves among its own cards.
    ...(path === INBOX ? {} : { j: () => step(1), k: () => step(-1) }),
  });
}

/** The session above or below the one at `path`, in the order of the list. */
function neighbour(path: string, by: number): string | null {
  const groups = grouped(Object.values(useFleet.getState().sessions));
  const ids = groups.flatMap((group) => group.sessions.map((session) => session.id));
  const place = ids.findIndex((id) => sessionPath(id) === path);
  const next = place < 0 ? (by > 0 ? 0 : ids.length - 1) : place + by;
  return ids[next] ?? null;
}
