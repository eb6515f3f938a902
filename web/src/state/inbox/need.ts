/** Who needs a person next. */

import { useFleet } from "../fleet/fleet";
import { groupOf, openItems } from "../fleet/groups";

/** The session to look at after `current`: what waits, then what failed, then what is unread. */
export function nextInNeed(current: string): string | undefined {
  const { sessions } = useFleet.getState();
  const waiting = openItems(sessions).map((item) => item.session);
  const others = ["failed", "unread"].flatMap((group) =>
    Object.values(sessions)
      .filter((session) => groupOf(session) === group)
      .map((session) => session.id),
  );
  const all = [...new Set([...waiting, ...others])];
  const place = all.indexOf(current);
  return [...all.slice(place + 1), ...all.slice(0, Math.max(0, place))][0];
}
