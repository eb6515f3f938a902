/** The fleet in the order in which a person should look at it. */

import type { Attention, AttentionKind, SessionView } from "../../api/types.gen";
import { isSnoozed } from "../inbox/snooze";

export type GroupName = "needs" | "working" | "queued" | "unread" | "failed" | "idle";

export const TITLES: readonly (readonly [GroupName, string])[] = [
  ["needs", "Needs you"],
  ["failed", "Failed"],
  ["working", "Working"],
  ["queued", "Queued"],
  ["unread", "Finished, unread"],
  ["idle", "Idle"],
];

export function groupOf(session: SessionView): GroupName {
  switch (session.status) {
    case "waiting":
      return "needs";
    case "failed":
    case "unreachable":
      return "failed";
    case "working":
      return "working";
    case "queued":
    case "preparing":
      return "queued";
    default:
      return session.unread ? "unread" : "idle";
  }
}

const BLOCKING: readonly AttentionKind[] = [
  "permission",
  "question",
  "plan",
  "agent_died",
  "setup_failed",
];

/** Everything open, most blocking and then oldest first. */
export function inbox(sessions: Iterable<SessionView>): Attention[] {
  return [...sessions].flatMap((session) => session.attention).sort(byUrgency);
}

/** What is open and not put off. */
export function openItems(sessions: Readonly<Record<string, SessionView>>): Attention[] {
  return inbox(Object.values(sessions)).filter((item) => !isSnoozed(item));
}

function byUrgency(a: Attention, b: Attention): number {
  return rank(a.kind) - rank(b.kind) || a.raised_at.localeCompare(b.raised_at);
}

function rank(kind: AttentionKind): number {
  const found = BLOCKING.indexOf(kind);
  return found < 0 ? BLOCKING.length : found;
}
