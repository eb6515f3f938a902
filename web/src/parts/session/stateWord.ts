/** The word for a session's state, the same everywhere. */

import type { SessionView } from "../../api/types.gen";
import { kindWord } from "../../state/inbox/attention";

export function stateWord(session: SessionView): string {
  switch (session.status) {
    case "waiting": {
      const kind = session.attention[0]?.kind;
      return kind ? `Waits: ${kindWord(kind).toLowerCase()}` : "Waits";
    }
    case "idle":
      if (session.taken) return "Taken over";
      return session.unread ? "Finished" : "Idle";
    default:
      return session.status.charAt(0).toUpperCase() + session.status.slice(1);
  }
}
