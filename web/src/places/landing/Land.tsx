import { useEffect, useState } from "react";
import type { ArchivePlan } from "../../api/answers";
import { fetchOrder } from "../../api/conflicts";
import { archive } from "../../api/hub";
import { type MergeMethod, merge } from "../../api/landing";
import { Problem } from "../../api/request";
import { Button } from "../../parts/Button";
import { plural } from "../../parts/format";
import { Hint } from "../../parts/Hint";
import { Dialog } from "../../parts/overlay/Dialog";
import { Segments } from "../../parts/Segments";
import { useFleet } from "../../state/fleet/fleet";
import { choose } from "../../state/fleet/sidebar";
import { uncover } from "../../state/page/screen";
import { Plan } from "../archive/Plan";
import { MergePlan } from "./MergePlan";
import { METHODS } from "./methods";
import { type Planned, plannedMerge } from "./useWays";
import "../archive/archive.css";
import "./landing.css";

interface Props {
  readonly ids: readonly string[];
  readonly method: MergeMethod;
  readonly archive: boolean;
}

/** How far one of them is; what went wrong says also what was done before. */
interface Fate {
  readonly says: string;
  readonly tone: "work" | "ok" | "bad";
  readonly hint?: string;
}

type All<T> = Readonly<Record<string, T>>;

/** What landing would do, for one session or several; done one after the other when asked again. */
export function Land({ ids: chosen, method: first, archive: archives }: Props) {
  const ids = useCheapest(chosen);
  const sessions = useFleet((fleet) => fleet.sessions);
  const [method, setMethod] = useState(first);
  const [away, setAway] = useState(archives);
  const plans = useLooks(ids, method, (id) => plannedMerge(id, method));
  const archived = useLooks(away ? ids : NONE, "", (id) => archive(id, true));
  const [fates, setFates] = useState<All<Fate>>({});
  const [state, setState] = useState<"asked" | "busy" | "done">("asked");
  const put = (id: string, fate: Fate) => setFates((known) => ({ ...known, [id]: fate }));
  const ready = ids.filter((id) => plans[id]?.plan);
  const land = async () => {
    setState("busy");
    const well = [];
    for (const id of ready) well.push(await landOne(id, method, away, (fate) => put(id, fate)));
    setState("done");
    if (!well.every(Boolean) || ready.length < ids.length) return;
    choose([]);
    uncover();
  };
  const [only = ""] = ids;
  const what =
    ids.length > 1 ? plural(ids.length, "session") : `“${sessions[only]?.title ?? only}”`;
  return (
    <Dialog title={`Land ${what}`}>
      <div className="body land" data-testid="land">
        {ids.map((id) => (
          <section key={id} aria-label={sessions[id]?.title ?? id}>
            {ids.length > 1 && <h3>{sessions[id]?.title ?? id}</h3>}
            {fates[id] ? (
              <p role="status" className={`tone-${fates[id].tone}`}>
                {fates[id].says} <Hint text={fates[id].hint ?? ""} />
              </p>
            ) : (
              <Before planned={plans[id]} plan={away ? archived[id] : undefined} />
            )}
          </section>
        ))}
      </div>
      <div className="actions land-actions">
        <Segments label="Method" options={METHODS} chosen={method} onChoose={setMethod} />
        <label className="check">
          <input
            type="checkbox"
            checked={away}
            disabled={state !== "asked"}
            onChange={(event) => setAway(event.target.checked)}
          />{" "}
          Then archive
        </label>
        <span className="spring" />
        <Button data-first onClick={uncover}>
          {state === "asked" ? "Cancel" : "Close"}
        </Button>
        {state !== "done" && (
          <Button
            look="primary"
            disabled={ready.length === 0 || state === "busy"}
            onClick={() => void land()}
          >
            {away ? "Land and archive" : "Merge"}
            {ids.length > 1 && ` ${ready.length}`}
          </Button>
        )}
      </div>
    </Dialog>
  );
}

const NONE: readonly string[] = [];

/** Several in the order in which the fewest get in each other's way, as far as the radar knows. */
function useCheapest(ids: readonly string[]): readonly string[] {
  const [sorted, setSorted] = useState(ids);
  useEffect(() => {
    if (ids.length < 2) return;
    const take = (turns: readonly { readonly session: string }[]) => {
      const order = turns.map(({ session }) => session);
      const known = order.filter((id) => ids.includes(id));
      setSorted([...known, ...ids.filter((id) => !known.includes(id))]);
    };
    void fetchOrder(ids).then(take, () => undefined);
  }, [ids]);
  return sorted;
}

/** Looked at for each of them; anew when `about` is another. */
function useLooks<T>(
  ids: readonly string[],
  about: string,
  look: (id: string) => Promise<T>,
): All<T> {
  const [found, setFound] = useState<All<T>>({});
  // biome-ignore lint/correctness/useExhaustiveDependencies: `about` is all that `look` depends on
  useEffect(() => {
    let wanted = true;
    setFound({});
    for (const id of ids) {
      const take = (one: T) => wanted && setFound((known) => ({ ...known, [id]: one }));
      void look(id).then(take, () => undefined);
    }
    return () => {
      wanted = false;
    };
  }, [ids, about]);
  return found;
}

interface BeforeProps {
  readonly planned: Planned | undefined;
  readonly plan: ArchivePlan | undefined;
}

function Before({ planned, plan }: BeforeProps) {
  if (planned === undefined) return <p className="quiet">Looking at what would happen…</p>;
  const { problem } = planned;
  if (problem !== null) {
    return (
      <p>
        <span className="tone-bad">Not now: {problem.message}.</span>{" "}
        <span className="quiet">
          <Hint text={problem.hint} />
        </span>
      </p>
    );
  }
  return (
    <>
      {planned.plan && <MergePlan plan={planned.plan} />}
      {plan && (
        <details className="then">
          <summary>
            Then archived
            {plan.lost.length > 0 ? `, losing ${plural(plan.lost.length, "thing")}` : ""}
          </summary>
          <Plan plan={plan} />
        </details>
      )}
    </>
  );
}

/** Whether all that was asked for was done. */
async function landOne(
  id: string,
  method: MergeMethod,
  away: boolean,
  tell: (fate: Fate) => void,
): Promise<boolean> {
  let done = "";
  try {
    tell({ says: "Merging; its checks run first…", tone: "work" });
    const made = await merge(id, method);
    done = `Merged into ${made.into} as ${made.commit.slice(0, 7)}`;
    tell({ says: `${done}.`, tone: "ok" });
    if (away) {
      const plan = await archive(id, false);
      if (plan.blocked_by.length > 0) throw new Error(plan.blocked_by.join("; "));
      tell({ says: `${done}, and archived.`, tone: "ok" });
    }
    return true;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const hint = error instanceof Problem ? error.hint : "";
    tell({ says: done ? `${done}, but not archived: ${why}.` : `${why}.`, tone: "bad", hint });
    return false;
  }
}
