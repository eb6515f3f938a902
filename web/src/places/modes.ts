/** The modes, in the order of growing freedom, and the efforts, of growing cost. */

import type { AgentView, Mode } from "../api/types.gen";

export const MODES: readonly { readonly mode: Mode; readonly says: string }[] = [
  { mode: "plan", says: "reads, then proposes a plan" },
  { mode: "ask", says: "asks before edits and commands" },
  { mode: "edits", says: "edits freely, asks before commands" },
  { mode: "auto", says: "does everything inside its worktree" },
];

/** Those that an agent can be held to; of one that is not known yet, all. */
export const modesOf = (agent: AgentView | undefined) =>
  agent ? MODES.filter(({ mode }) => agent.modes.includes(mode)) : MODES;

export const EFFORTS = ["low", "medium", "high", "xhigh", "max"] as const;
