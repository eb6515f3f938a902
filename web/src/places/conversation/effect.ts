/** What sending will do, said before it is done. */

import type { SessionView } from "../../api/types.gen";

export function isRunning(session: SessionView): boolean {
  return session.status === "working" || session.status === "waiting";
}

export function effectOf(session: SessionView): string {
  switch (session.status) {
    case "working":
    case "waiting":
      return "steers the running turn";
    case "queued":
    case "preparing":
      return "is read when the turn starts";
    case "failed":
    case "unreachable":
      return "starts the agent again";
    case "archived":
      return "archived: restore it to go on";
    default:
      return "starts a turn";
  }
}
