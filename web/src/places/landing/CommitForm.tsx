import { useCallback, useEffect, useState } from "react";
import { askForMessage, commit, fetchProposal, type Proposal } from "../../api/landing";
import type { SessionView } from "../../api/types.gen";
import { Button } from "../../parts/Button";
import { plural } from "../../parts/format";
import { attempt } from "../../state/page/notices";
import { usePaced } from "../../state/page/paced";
import { Part } from "./Part";

interface Props {
  readonly session: SessionView;
  readonly onCommitted: () => Promise<void>;
}

/** What is not committed yet, and a message to commit it with. */
export function CommitForm({ session, onCommitted }: Props) {
  const { id } = session;
  const moved = usePaced(session.updated_at);
  const [proposal, setProposal] = useState<Proposal | null>(null);
  const [message, setMessage] = useState<string | null>(null);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [said, setSaid] = useState("");
  const [busy, setBusy] = useState(false);
  const load = useCallback(async () => setProposal(await fetchProposal(id)), [id]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: looked at anew when the session moved
  useEffect(() => {
    load().catch(() => undefined);
  }, [load, moved]);
  if (proposal === null) return <p className="quiet">Looking at what changed…</p>;
  const { working } = proposal;
  const chosen = proposal.files.filter((path) => !left.has(path));
  const paths = chosen.length === proposal.files.length ? [] : chosen;
  const ask = async () => {
    setBusy(true);
    await attempt(async () => {
      const proposed = await askForMessage(id, paths);
      setMessage(proposed.message);
      setSaid(proposed.note && `${proposed.note}: this is the template.`);
    });
    setBusy(false);
  };
  const send = async () => {
    setBusy(true);
    await attempt(async () => {
      const made = await commit(id, message ?? proposal.message, paths, working);
      setSaid([made.output, made.note].filter(Boolean).join("\n"));
      setMessage(null);
      await Promise.all([load(), onCommitted()]);
    });
    setBusy(false);
  };
  const toggle = (path: string) =>
    setLeft(new Set(left.has(path) ? [...left].filter((p) => p !== path) : [...left, path]));
  const says =
    proposal.files.length === 0
      ? "everything is committed"
      : `${chosen.length} of ${plural(proposal.files.length, "file")}`;
  return (
    <Part name="commit" title="Commit" says={says}>
      {proposal.files.length > 0 && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void send();
          }}
        >
          <ul className="paths" aria-label="Changed files">
            {proposal.files.map((path) => (
              <li key={path}>
                <label>
                  <input type="checkbox" checked={!left.has(path)} onChange={() => toggle(path)} />
                  <span className="path">{path}</span>
                </label>
              </li>
            ))}
          </ul>
          <textarea
            className="field"
            aria-label="Commit message"
            rows={5}
            value={message ?? proposal.message}
            onChange={(event) => setMessage(event.target.value)}
          />
          {working && (
            <p className="tone-wait">
              The agent is at work in these files: what is half done would be committed.
            </p>
          )}
          <div className="acts">
            <Button
              look={working ? "plain" : "primary"}
              type="submit"
              disabled={busy || chosen.length === 0}
            >
              Commit {plural(chosen.length, "file")}
              {working && " anyway"}
            </Button>
            <Button look="quiet" disabled={busy || working} onClick={() => void ask()}>
              Ask the agent for a message
            </Button>
          </div>
        </form>
      )}
      {said && <pre className="said">{said}</pre>}
    </Part>
  );
}
