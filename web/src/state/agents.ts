/** The agents that this machine has, asked for once and again when wanted. */

import { useEffect } from "react";
import { create } from "zustand";
import { fetchAgents } from "../api/hub";
import type { AgentView } from "../api/types.gen";

export const useAgentStore = create<{ readonly agents: readonly AgentView[] | null }>(() => ({
  agents: null,
}));
let asked: Promise<void> | null = null;

export function loadAgents(): Promise<void> {
  asked = fetchAgents().then(
    (agents) => useAgentStore.setState({ agents }),
    () => {
      asked = null;
    },
  );
  return asked;
}

/** Null until they are known. */
export function useAgents(): readonly AgentView[] | null {
  useEffect(() => {
    if (asked === null) void loadAgents();
  }, []);
  return useAgentStore((store) => store.agents);
}
