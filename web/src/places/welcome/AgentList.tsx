import type { AgentView } from "../../api/types.gen";
import { plural } from "../../parts/format";

interface Props {
  readonly agents: readonly AgentView[];
}

/** The agents that were found; what the others lack is told when asked for. */
export function AgentList({ agents }: Props) {
  const others = agents.filter(({ installed }) => !installed);
  return (
    <>
      <Agents agents={agents.filter(({ installed }) => installed)} />
      {others.length > 0 && (
        <details className="other-agents">
          <summary>{plural(others.length, "other")} can be installed</summary>
          <Agents agents={others} />
        </details>
      )}
    </>
  );
}

function Agents({ agents }: Props) {
  return (
    <ul className="agent-list">
      {agents.map((agent) => (
        <li key={agent.name}>
          <b>{agent.name}</b>
          <span>{stateOf(agent)}</span>
          {agent.hint && <small>{withCode(agent.hint)}</small>}
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

/** Words between backticks are commands. */
function withCode(text: string) {
  return text
    .split("`")
    .map((part, place) => (place % 2 === 1 ? <code key={part}>{part}</code> : part));
}
