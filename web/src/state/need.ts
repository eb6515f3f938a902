/** Who needs a person next. */

import { useFleet } from "./fleet";
import { groupOf, inbox } from "./groups";
import { isSnoozed } from "./snooze";

/** The session to look at after `current`: what waits, then what failed, then what is unread. */
export function nextInNeed(current: string): string | undefined {
  const sessions = Object.values(useFleet.getState().sessions);
  const waiting = inbox(sessions)
    .filter((item) => !isSnoozed(item))
    .map((item) => item.session);
  const others = ["failed", "unread"].flatMap((group) =>
    sessions.filter((session) => groupOf(session) === group).map((session) => session.id),
  );
  const all = [...new Set([...waiting, ...others])];
  return all[(all.indexOf(current) + 1) % all.length] ?? all[0];
}
