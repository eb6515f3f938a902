import { useState } from "react";
import { cancelJob, fetchJobs } from "../../api/insight";
import { type MergeMethod, merge } from "../../api/landing";
import { Problem } from "../../api/request";
import type { SessionView } from "../../api/types.gen";
import { Button } from "../../parts/Button";
import { Segments } from "../../parts/Segments";
import { isOpen } from "../../state/fleet/jobs";
import { attempt } from "../../state/page/notices";
import { setCover } from "../../state/page/screen";
import { useMergings } from "../../state/session/merging";
import { AddToTrain } from "../train/AddToTrain";
import { Blocked } from "./Blocked";
import { ChecksRun } from "./ChecksRun";
import { Failed } from "./Failed";
import { MergePlan } from "./MergePlan";
import { METHODS } from "./methods";
import { Part } from "./Part";
import { landsIn, obstacleOf, type Standing, usePlan } from "./useWays";

interface Props {
  readonly session: SessionView;
  readonly standing: Standing;
}

/** The session's commits into a branch of this repository: what would happen, then the deed. */
export function LandHere({ session, standing }: Props) {
  const { ways } = standing;
  if (ways === null) return null;
  return <Known session={session} standing={standing} ways={ways} />;
}

type KnownProps = Props & { readonly ways: NonNullable<Standing["ways"]> };

function Known({ session, standing, ways }: KnownProps) {
  const { id } = session;
  const [method, setMethod] = useState<MergeMethod>("merge");
  const [into, setInto] = useState("");
  const [message, setMessage] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<Problem | null>(null);
  const { plan, problem } = usePlan(ways, method, into);
  const last = useMergings((mergings) => mergings.of[id]);
  // How an earlier commit fared says nothing of this one.
  const merging = last?.tip === ways.head ? last : undefined;
  const running = busy || merging?.state === "running";
  const target = into.trim() || landsIn(ways);
  const land = async () => {
    setBusy(true);
    setRefused(null);
    try {
      await merge(id, method, into.trim(), message ?? "");
      setMessage(null);
    } catch (error) {
      if (error instanceof Problem) setRefused(error);
    }
    setBusy(false);
    await standing.look().catch(() => undefined);
  };
  const choose = (chosen: MergeMethod) => {
    setMethod(chosen);
    setMessage(null);
  };
  const failed = refused ?? (merging?.state === "failed" ? asProblem(merging) : null);
  const trouble = obstacleOf(ways) === "" ? (problem ?? failed) : null;
  return (
    <Part name="merge" title={<>Land in {target}</>} ready={plan !== null || problem !== null}>
      {running ? (
        <Running session={id} into={target} />
      ) : (
        <>
          <Blocked session={session} ways={ways} />
          {trouble && (
            <Failed
              session={session}
              ways={ways}
              problem={trouble}
              onSquash={method === "merge" ? () => choose("squash") : undefined}
            />
          )}
          {merging?.state === "failed" && <ChecksRun merging={merging} />}
          {obstacleOf(ways) === "" && (
            <>
              <How {...{ method, into, usual: landsIn(ways), setMethod: choose, setInto }} />
              {plan && <MergePlan plan={plan} />}
              {plan?.message && <Message text={message ?? plan.message} onChange={setMessage} />}
              <div className="acts">
                <Button
                  // Where there is a forge, the usual way is through it.
                  look={ways.forge ? "plain" : "primary"}
                  disabled={plan === null}
                  onClick={() => void land()}
                >
                  Merge into {target}
                </Button>
                <Button
                  disabled={plan === null}
                  onClick={() => setCover({ name: "land", ids: [id], method, archive: true })}
                >
                  Land and archive…
                </Button>
                <AddToTrain session={session} />
              </div>
            </>
          )}
        </>
      )}
    </Part>
  );
}

const asProblem = ({ error, hint }: { readonly error: string; readonly hint: string }) =>
  new Problem(0, "not_possible", error, hint);

interface HowProps {
  readonly method: MergeMethod;
  readonly into: string;
  readonly usual: string;
  readonly setMethod: (method: MergeMethod) => void;
  readonly setInto: (into: string) => void;
}

function How({ method, into, usual, setMethod, setInto }: HowProps) {
  return (
    <div className="acts how">
      <Segments label="Method" options={METHODS} chosen={method} onChoose={setMethod} />
      <label className="chip">
        into
        <input
          aria-label="Branch to merge into"
          value={into}
          placeholder={usual}
          onChange={(event) => setInto(event.target.value)}
        />
      </label>
    </div>
  );
}

interface MessageProps {
  readonly text: string;
  readonly onChange: (text: string) => void;
}

/** What the commit that lands would say; a rebase keeps the words of each. */
function Message({ text, onChange }: MessageProps) {
  return (
    <textarea
      className="field"
      aria-label="Message of the merge"
      rows={Math.min(8, Math.max(2, text.trim().split("\n").length))}
      value={text}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

/** While it is merged: its checks, and a way to call it off. */
function Running({ session, into }: { readonly session: string; readonly into: string }) {
  const merging = useMergings((mergings) => mergings.of[session]);
  const cancel = async () => {
    const jobs = await fetchJobs();
    const own = jobs.find((job) => isOpen(job) && job.session === session && job.kind === "merge");
    if (own) await cancelJob(own.id);
  };
  return (
    <>
      <div className="acts" role="status">
        <span className="tone-work">
          {merging?.checks.length && !merging.passed
            ? `Checked before it goes into ${into}…`
            : `Merging into ${into}…`}
        </span>
        <Button look="quiet" onClick={() => void attempt(cancel)}>
          Cancel
        </Button>
      </div>
      {merging && <ChecksRun merging={merging} />}
    </>
  );
}
