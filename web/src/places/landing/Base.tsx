import { useState } from "react";
import { abortUpdate, fetchBase, type UpdateMethod, update, type Ways } from "../../api/landing";
import type { SessionView } from "../../api/types.gen";
import { Button } from "../../parts/Button";
import { plural } from "../../parts/format";
import { Segments } from "../../parts/Segments";
import { between, isReal, useConflicts } from "../../state/fleet/conflicts";
import { attempt } from "../../state/page/notices";
import { Part } from "./Part";
import type { Standing } from "./useWays";

const METHODS: readonly { readonly id: UpdateMethod; readonly label: string }[] = [
  { id: "merge", label: "merge" },
  { id: "rebase", label: "rebase" },
];

interface Props {
  readonly session: SessionView;
  readonly standing: Standing;
}

/** How the session stands to its base: what would come in, and what became of it. */
export function Base({ session, standing }: Props) {
  const { ways, look } = standing;
  const [method, setMethod] = useState<UpdateMethod>("merge");
  const [busy, setBusy] = useState(false);
  if (ways === null || session.in_place) return null;
  const run = async (action: () => Promise<unknown>) => {
    setBusy(true);
    await attempt(action);
    await look().catch(() => undefined);
    setBusy(false);
  };
  const { incoming, update: open } = ways;
  const base = ways.base.name;
  const title = <>Base {base}</>;
  if (open !== null) {
    return (
      <Part name="update" title={title} says={`on its way in, by ${open.method}`}>
        <Settling conflicts={open.conflicts} base={base} />
        <Button disabled={busy} onClick={() => void run(() => abortUpdate(session.id))}>
          Abort: back to what it was before
        </Button>
      </Part>
    );
  }
  if (incoming.length === 0) {
    return (
      <Part name="update" title={title} says="all of it is in this session">
        <Remote session={session.id} ways={ways} busy={busy} onFetch={run} />
      </Part>
    );
  }
  const still = ways.uncommitted === 0 && !ways.at_work;
  return (
    <Part name="update" title={title} says={`has ${plural(incoming.length, "commit")} more`}>
      <details>
        <summary>What would come in</summary>
        <ol className="commits">
          {incoming.map((subject, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: commits in their order
            <li key={at}>{subject}</li>
          ))}
        </ol>
      </details>
      <Forecast session={session.id} ways={ways} />
      <Remote session={session.id} ways={ways} busy={busy} onFetch={run} />
      <div className="acts how">
        <Segments label="Update by" options={METHODS} chosen={method} onChoose={setMethod} />
        <Button
          disabled={busy || !still}
          onClick={() => void run(() => update(session.id, method))}
        >
          Bring {base} in
        </Button>
        {!still && (
          <span className="quiet">
            {ways.at_work ? "Once the agent rests." : "Once everything is committed."}
          </span>
        )}
      </div>
    </Part>
  );
}

interface RemoteProps {
  readonly session: string;
  readonly ways: Ways;
  readonly busy: boolean;
  readonly onFetch: (action: () => Promise<unknown>) => Promise<void>;
}

/** What the branch here is to the remote's, where there is one. */
function Remote({ session, ways: { base }, busy, onFetch }: RemoteProps) {
  if (base.tracking === "") return null;
  return (
    <div className="acts">
      <span className={base.relation === "diverged" ? "tone-wait" : "quiet"}>
        {base.words || `${base.branch || base.name} is where ${base.tracking} is`}
      </span>
      <Button
        look="quiet"
        size="small"
        disabled={busy}
        onClick={() => void onFetch(() => fetchBase(session))}
      >
        Fetch
      </Button>
    </div>
  );
}

function Settling({ conflicts, base }: { readonly conflicts: readonly string[]; base: string }) {
  if (conflicts.length === 0) return <p className="tone-work">{base} comes in…</p>;
  return (
    <>
      <p className="tone-wait">
        In conflict; its agent has both sides of each and was asked to settle them:
      </p>
      <ul className="paths" aria-label="Files in conflict">
        {conflicts.map((path) => (
          <li key={path} className="path">
            {path}
          </li>
        ))}
      </ul>
    </>
  );
}

/** What the radar says of it beforehand. */
function Forecast({ session, ways }: { readonly session: string; readonly ways: Ways }) {
  const found = useConflicts(({ conflicts }) => between(conflicts, session, ways.base.name));
  if (found === undefined || !isReal(found)) {
    return <p className="quiet">No conflict is foreseen. A checkpoint is made first.</p>;
  }
  const paths = found.paths.filter(({ kind }) => kind === "conflict").map(({ path }) => path);
  return (
    <p className="tone-wait">
      Would conflict in {paths.join(", ")}: its agent is asked to settle it, and you can abort.
    </p>
  );
}
