/** Which events are worth telling a person who looks elsewhere, and in which words. */

import type { AnyEvent, SessionView } from "../api/types.gen";
import { waitsFor } from "./attention";

export const KINDS = ["needs", "failed", "finished"] as const;
export type NewsKind = (typeof KINDS)[number];

export interface News {
  readonly kind: NewsKind;
  /** The same for every tab, so that one machine tells it once. */
  readonly id: string;
  readonly session: string;
  readonly title: string;
  readonly text: string;
}

const FRESH_MS = 120_000;

/** Null for what is no news, or so old that it was only caught up with. */
export function newsOf(
  event: AnyEvent,
  session: SessionView | undefined,
  now = Date.now(),
): News | null {
  if (now - Date.parse(event.at) > FRESH_MS) return null;
  const title = session?.title ?? event.session ?? "";
  const about = { session: event.session ?? "", title, id: `${event.seq}` };
  switch (event.type) {
    case "plan_proposed":
    case "permission_requested":
    case "question_asked":
    case "attention_raised":
      return { ...about, kind: "needs", id: event.item.id, text: waitsFor(event.item) };
    case "session_failed":
      return { ...about, kind: "failed", text: event.error };
    case "turn_finished":
      if (event.outcome === "interrupted") return null;
      return event.outcome === "failed"
        ? { ...about, kind: "failed", text: event.error || "The turn failed" }
        : { ...about, kind: "finished", text: "Finished" };
    default:
      return null;
  }
}
