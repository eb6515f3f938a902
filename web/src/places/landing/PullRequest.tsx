import { useCallback, useEffect, useState } from "react";
import { fetchPrStatus, mergePr, type PrStatus, setReady } from "../../api/landing";
import type { Pr, SessionView } from "../../api/types.gen";
import { Button } from "../../parts/Button";
import { attempt } from "../../state/page/notices";
import { setCover } from "../../state/page/screen";
import { prWords } from "../../state/session/pr";
import { Checks } from "./Checks";
import { Merge } from "./Merge";
import { PushMore } from "./PushMore";
import { Threads } from "./Threads";
import { Watched } from "./Watched";

interface Props {
  readonly session: SessionView;
  readonly pr: Pr;
}

/** The pull request as the forge has it: state, checks, remarks, and the merge. */
export function PullRequest({ session, pr }: Props) {
  const { id } = session;
  const [status, setStatus] = useState<PrStatus | null>(null);
  const [busy, setBusy] = useState(false);
  const look = useCallback(async () => setStatus(await fetchPrStatus(id)), [id]);
  const seen = [pr.state, pr.checks, pr.review, pr.head].join(" ");
  // biome-ignore lint/correctness/useExhaustiveDependencies: looked at anew when it is seen to move
  useEffect(() => {
    void attempt(look);
  }, [look, seen]);
  const run = async (action: () => Promise<unknown>) => {
    setBusy(true);
    await attempt(async () => {
      await action();
      await look();
    });
    setBusy(false);
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
      <p className="words">
        {prWords(pr).map(({ mark, word, tone }) => (
          <span key={word} className={`tone-${tone}`}>
            <span aria-hidden="true">{mark}</span> {word}
          </span>
        ))}
        <span className="quiet">
          into {pr.base} of {pr.repo}
        </span>
      </p>
      {living && (
        <div className="acts">
          <PushMore session={id} busy={busy} onPush={run} />
          {pr.state === "draft" && (
            <Button disabled={busy} onClick={() => void run(() => setReady(id))}>
              Ready for review
            </Button>
          )}
          <Button look="quiet" disabled={busy} onClick={() => void run(async () => undefined)}>
            Look again
          </Button>
        </div>
      )}
      {status !== null && <Forge session={id} status={status} onDone={look} />}
      {living && status?.watch && <Watched session={id} watch={status.watch} onDone={look} />}
      {living && (
        <Merge
          pr={pr}
          status={status}
          busy={busy}
          onMerge={(method) => void run(() => mergePr(id, method))}
        />
      )}
      {pr.state === "merged" && session.status !== "archived" && (
        <Button onClick={() => setCover({ name: "archive", ids: [id] })}>
          Archive the session…
        </Button>
      )}
    </div>
  );
}

interface ForgeProps {
  readonly session: string;
  readonly status: PrStatus;
  readonly onDone: () => Promise<void>;
}

/** What the forge has to say of it. */
function Forge({ status, ...rest }: ForgeProps) {
  return (
    <>
      <Checks checks={status.checks} drafts={status.drafts} {...rest} />
      <Threads threads={status.threads} drafts={status.drafts} {...rest} />
    </>
  );
}
