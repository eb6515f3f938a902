/** What a hub may tell about a session beyond the types of this page; absent until it does. */

import type { SessionView } from "../api/types.gen";

export interface Extras {
  readonly effort?: string;
  readonly budget?: { readonly usd: number | null; readonly minutes: number | null } | null;
  readonly context?: { readonly used: number; readonly limit: number } | null;
  readonly quiet_since?: string | null;
}

export const extras = (session: SessionView): Extras => session as Extras;

export const EFFORTS = ["low", "medium", "high", "xhigh", "max"] as const;
