/** The keys that work everywhere. */

import { useLocation } from "wouter";
import { markRead } from "../api/hub";
import { listed } from "../state/fleet/listed";
import { nextInNeed } from "../state/inbox/need";
import { type Bindings, useKeys } from "../state/page/keys";
import { setCover } from "../state/page/screen";
import { PLACES } from "./places";
import { INBOX, SESSIONS, sessionPath } from "./routes";

const NUMBERED = [1, 2, 3, 4, 5, 6, 7, 8, 9];

export function useGlobalKeys(): void {
  const [path, navigate] = useLocation();
  const open = (id: string | undefined) => id !== undefined && navigate(sessionPath(id));
  const step = (by: number) => open(neighbour(path, by));
  useKeys("page", {
    n: { label: "New session", run: () => setCover({ name: "new" }) },
    "?": { label: "Show the keys", run: () => setCover({ name: "help" }) },
    "$mod+k": {
      label: "Run a command, find a session or file",
      run: () => setCover({ name: "palette" }),
    },
    "$mod+Shift+u": { label: "Next that needs me", run: () => open(nextInNeed(current(path))) },
    e: { label: "Done here, next that needs me", run: () => done(current(path), navigate) },
    "g s": { label: "Go to sessions", run: () => navigate(SESSIONS) },
    j: { label: "Next session", run: () => step(1), repeats: true },
    k: { label: "Previous session", run: () => step(-1), repeats: true },
    ...placeKeys(navigate),
    ...Object.fromEntries(
      NUMBERED.map((number) => [
        `Alt+${number}`,
        { label: `Session ${number} of the list`, run: () => open(listed()[number - 1]?.id) },
      ]),
    ),
  });
}

/** What was on the screen is read; then whoever needs a person next, else the inbox. */
function done(id: string, navigate: (path: string) => void): void {
  if (id !== "") markRead(id).catch(() => undefined);
  const next = nextInNeed(id);
  navigate(next === undefined ? INBOX : sessionPath(next));
}

function placeKeys(navigate: (path: string) => void): Bindings {
  const keyed = PLACES.filter((place) => place.key !== undefined);
  return Object.fromEntries(
    keyed.map(({ key, title, path }) => [
      key,
      { label: `Go to ${title.toLowerCase()}`, run: () => navigate(path) },
    ]),
  );
}

const current = (path: string): string => (path.startsWith("/s/") ? path.slice(3) : "");

/** The session above or below the one at `path`, in the order of the list. */
function neighbour(path: string, by: number): string | undefined {
  const ids = listed().map((session) => session.id);
  const place = ids.indexOf(current(path));
  return ids[place < 0 ? (by > 0 ? 0 : ids.length - 1) : place + by];
}
