import type { AgentView } from "../../api/types.gen";

/** The agents that were found, and what the others lack. */
export function AgentList({ agents }: { readonly agents: readonly AgentView[] }) {
  return (
    <ul className="agent-list">
      {agents.map((agent) => (
        <li key={agent.name}>
          <b>{agent.name}</b>
          <span>{stateOf(agent)}</span>
          {agent.hint && <small>{agent.hint}</small>}
        </li>
      ))}
    </ul>
  );
}

function stateOf({ installed, logged_in, version }: AgentView): string {
  if (!installed) return "not installed";
  const login = logged_in === false ? "not logged in" : "ready";
  return [version, login].filter(Boolean).join(", ");
}
