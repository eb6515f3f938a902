/**
 * The stretch of events that a person has not seen: from their last look to their return.
 *
 * It is set when the session is opened, and again when a hidden page is looked at once more. What
 * comes while one looks is not news. Elsewhere (another browser, the command line) a look is known
 * by the session having been read.
 */

import { useEffect, useState } from "react";
import type { AnyEvent } from "../../../api/types.gen";
import { EMPTY } from "../../../state/session/conversation";
import { useConversations } from "../../../state/session/conversations";
import { type Seen, setSeen, useSeen, visitBegan } from "../../../state/session/seen";

export interface Stretch {
  readonly from: Seen;
  readonly upto: number;
}

const SETTLE_MS = 400;
const NEVER: Seen = { seq: 0, at: "" };

export function useStretch(id: string): [Stretch | null, () => void] {
  const loaded = useConversations((state) => id in state.open);
  const seq = useConversations((state) => state.open[id]?.seq ?? 0);
  const [stretch, setStretch] = useState<Stretch | null>(null);
  useEffect(() => {
    if (!loaded) return undefined;
    const look = () => {
      const now = useConversations.getState().open[id] ?? EMPTY;
      if (document.visibilityState !== "visible") return;
      const from = lastLook(id, now.events);
      if (now.seq > from.seq) setStretch({ from, upto: now.seq });
    };
    // The words come first.
    const timer = setTimeout(look);
    document.addEventListener("visibilitychange", look);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, [id, loaded]);
  useEffect(() => {
    const note = () => {
      if (document.visibilityState !== "visible" || seq === 0) return;
      setSeen(id, { seq, at: new Date().toISOString() });
    };
    const timer = setTimeout(note, SETTLE_MS);
    return () => clearTimeout(timer);
  }, [id, seq]);
  return [stretch, () => setStretch(null)];
}

function lastLook(id: string, events: readonly AnyEvent[]): Seen {
  const before = visitBegan(id);
  const here = useSeen.getState().marks[id] ?? NEVER;
  const read = events.findLast((event) => event.type === "session_read" && event.at < before);
  return read !== undefined && read.seq > here.seq ? { seq: read.seq, at: read.at } : here;
}
