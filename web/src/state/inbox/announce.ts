/** What a person who looks elsewhere is told, and in which words. */

import type { AnyEvent, SessionView } from "../../api/types.gen";

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

/**
 * Null for what is no news, or so old that it was only caught up with.
 *
 * The hub says what is told: it knows the rules, the quiet hours and every screen.
 */
export function newsOf(
  event: AnyEvent,
  session: SessionView | undefined,
  now = Date.now(),
): News | null {
  if (event.type !== "person_notified" || (event.told ?? "sent") !== "sent") return null;
  if (now - Date.parse(event.at) > FRESH_MS) return null;
  return {
    kind: event.kind === "finished" || event.kind === "failed" ? event.kind : "needs",
    id: `${event.seq}`,
    session: event.session ?? "",
    title: session?.title ?? event.session ?? "",
    text: event.text,
  };
}
