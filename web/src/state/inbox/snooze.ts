/** Attention that a person put off: still open, and out of the way until its time. */

import type { Attention } from "../../api/types.gen";

/** The hub tells until when, where it can put items off. */
export type Snoozable = Attention & { readonly snoozed_until?: string | null };

export function snoozedUntil(item: Snoozable): string | null {
  return item.snoozed_until ?? null;
}

export function isSnoozed(item: Snoozable, now = Date.now()): boolean {
  const until = snoozedUntil(item);
  return until !== null && Date.parse(until) > now;
}
