/** The archived sessions, as last asked for. */

import { create } from "zustand";
import { fetchAllSessions } from "../../api/hub";
import type { SessionView } from "../../api/types.gen";
import { readable } from "../session/session";

export const useArchive = create<{ readonly sessions: readonly SessionView[] | null }>(() => ({
  sessions: null,
}));

export async function loadArchive(): Promise<void> {
  const all = (await fetchAllSessions()).map(readable);
  const sessions = all
    .filter(({ status }) => status === "archived")
    .sort((a, b) => b.updated_at.localeCompare(a.updated_at));
  useArchive.setState({ sessions });
}
