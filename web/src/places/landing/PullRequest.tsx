import { useCallback, useEffect, useState } from "react";
import { fetchPrStatus, type Method, mergePr, type PrStatus, updatePr } from "../../api/landing";
import type { Pr, SessionView } from "../../api/types.gen";
import { Button } from "../../parts/Button";
import { fetchSoon } from "../../state/fleet";
import { attempt, notify } from "../../state/notices";
import { setCover } from "../../state/screen";
import { Checks } from "./Checks";
import { Drafts } from "./Drafts";

const METHODS: readonly Method[] = ["merge", "squash", "rebase"];

interface Props {
  readonly session: SessionView;
  readonly pr: Pr;
}

/** The pull request as the forge has it: state, checks, remarks, and the merge. */
export function PullRequest({ session, pr }: Props) {
  const { id } = session;
  const [status, setStatus] = useState<PrStatus | null>(null);
  const [method, setMethod] = useState<Method>("merge");
  const [busy, setBusy] = useState(false);
  const look = useCallback(async () => setStatus(await fetchPrStatus(id)), [id]);
  useEffect(() => {
    void attempt(look);
  }, [look]);
  const run = async (action: () => Promise<unknown>) => {
    setBusy(true);
    await attempt(async () => {
      await action();
      await look();
      fetchSoon(id);
    });
    setBusy(false);
  };
  const push = async () => {
    for (const note of (await updatePr(id, [])).notes) notify(note);
  };
  const living = pr.state === "open" || pr.state === "draft";
  return (
    <div className="part" data-testid="pull-request">
      <h2>
        <a href={pr.url} target="_blank" rel="noreferrer">
          #{pr.number}
        </a>{" "}
        {pr.title}
      </h2>
      <p className="chips">
        <span className={`chip pr-${pr.state}`}>{pr.state}</span>
        <span className={`chip checks-${pr.checks ?? "none"}`}>checks {pr.checks ?? "none"}</span>
        <span className={`chip review-${pr.review ?? "none"}`}>review {pr.review ?? "none"}</span>
      </p>
      {status !== null && <Checks checks={status.checks} />}
      {status !== null && <Drafts session={id} drafts={status.drafts} onDone={look} />}
      {living && (
        <div className="row">
          <Button disabled={busy} onClick={() => void run(push)}>
            Push new commits
          </Button>
          <select
            aria-label="Merge method"
            value={method}
            onChange={(event) => setMethod(event.target.value as Method)}
          >
            {METHODS.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
          <Button
            look="primary"
            disabled={busy || pr.state === "draft"}
            onClick={() => void run(() => mergePr(id, method))}
          >
            Merge
          </Button>
        </div>
      )}
      {pr.state === "merged" && session.status !== "archived" && (
        <Button onClick={() => setCover({ name: "archive", ids: [id] })}>
          Archive the session…
        </Button>
      )}
    </div>
  );
}
