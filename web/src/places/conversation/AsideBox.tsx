import { type KeyboardEvent, useState } from "react";
import { converse } from "../../api/hub";
import type { SessionView } from "../../api/types.gen";
import { Button } from "../../parts/Button";
import { useAgents } from "../../state/agents";
import { attempt } from "../../state/page/notices";
import { useDraft } from "../../state/session/drafts";
import { FRESH, showTalk } from "../../state/session/talks";

interface Props {
  readonly session: SessionView;
  readonly talk: string;
}

/** Where a person speaks in a conversation beside the main one. */
export function AsideBox({ session, talk }: Props) {
  const [text, change] = useDraft(`${session.id}.${talk}`);
  const [agent, setAgent] = useState(session.agent);
  const [writes, setWrites] = useState(false);
  const [sending, setSending] = useState(false);
  const fresh = talk === FRESH;
  const ready = text.trim() !== "" && !sending;
  const send = async () => {
    if (!ready) return;
    setSending(true);
    const to = fresh ? { agent, writes } : { conversation: talk };
    await attempt(async () => {
      const { id } = await converse(session.id, { text: text.trim(), ...to });
      change("");
      if (fresh) showTalk(session.id, id);
    });
    setSending(false);
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === "Escape") (event.target as HTMLElement).blur();
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void send();
  };
  return (
    <div className="box">
      <textarea
        className="field"
        aria-label="Message"
        data-testid="message"
        placeholder={fresh ? "Ask beside the task" : "Go on with this aside"}
        rows={Math.min(12, Math.max(2, text.split("\n").length))}
        value={text}
        readOnly={sending}
        disabled={session.status === "archived"}
        onChange={(event) => change(event.target.value)}
        onKeyDown={press}
      />
      <div className="under">
        <div className="how">
          <span className="effect">
            {fresh ? "starts with a fresh context" : "stays in the aside"}
          </span>
          {fresh && <AgentPick agent={agent} onAgent={setAgent} />}
          {fresh && (
            <label className="aside-writes">
              <input
                type="checkbox"
                checked={writes}
                onChange={(event) => setWrites(event.target.checked)}
              />{" "}
              May change files
            </label>
          )}
        </div>
        <Button
          look={ready ? "primary" : "plain"}
          hint="⏎"
          disabled={!ready}
          onClick={() => void send()}
        >
          Send
        </Button>
      </div>
    </div>
  );
}

interface AgentPickProps {
  readonly agent: string;
  readonly onAgent: (agent: string) => void;
}

function AgentPick({ agent, onAgent }: AgentPickProps) {
  const names = (useAgents() ?? []).filter(({ installed }) => installed).map(({ name }) => name);
  return (
    <label className="chip pick">
      agent
      <select value={agent} onChange={(event) => onAgent(event.target.value)}>
        {[agent, ...names.filter((name) => name !== agent)].map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}
