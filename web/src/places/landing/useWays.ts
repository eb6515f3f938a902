/** How a session stands to its base, and what a merge would do; looked at anew when it moved. */

import { useCallback, useEffect, useState } from "react";
import {
  fetchWays,
  type MergeMethod,
  type MergeView,
  planMerge,
  type Ways,
} from "../../api/landing";
import { Problem } from "../../api/request";
import type { SessionView } from "../../api/types.gen";
import { usePaced } from "../../state/page/paced";

export interface Standing {
  /** Null until it is known. */
  readonly ways: Ways | null;
  readonly look: () => Promise<void>;
}

export function useWays(session: SessionView): Standing {
  const { id } = session;
  const moved = usePaced(session.updated_at);
  const [ways, setWays] = useState<Ways | null>(null);
  const look = useCallback(async () => setWays(await fetchWays(id)), [id]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: looked at anew when the session moved
  useEffect(() => {
    const again = () => void look().catch(() => undefined);
    again();
    // A commit by hand in the worktree tells nobody.
    window.addEventListener("focus", again);
    return () => window.removeEventListener("focus", again);
  }, [look, moved]);
  return { ways, look };
}

/** The branch here that the session's base stands for. */
export const landsIn = ({ base }: Ways): string => base.branch || base.name;

/** Why nothing can be merged now; each has its own way out. */
export type Obstacle = "" | "update" | "at work" | "uncommitted" | "nothing";

export function obstacleOf(ways: Ways): Obstacle {
  if (ways.update !== null) return "update";
  if (ways.at_work) return "at work";
  if (ways.uncommitted > 0) return "uncommitted";
  // A squash or a rebase leaves other commits there than those that were merged.
  const landed = ways.merged?.tip === ways.head && ways.merged.into === landsIn(ways);
  return landed || ways.outgoing === 0 ? "nothing" : "";
}

export interface Planned {
  readonly plan: MergeView | null;
  readonly problem: Problem | null;
}

const UNKNOWN: Planned = { plan: null, problem: null };

export async function plannedMerge(id: string, method: MergeMethod, into = ""): Promise<Planned> {
  try {
    return { plan: await planMerge(id, method, into), problem: null };
  } catch (error) {
    if (error instanceof Problem) return { plan: null, problem: error };
    throw error;
  }
}

/** The dry run of a merge, where nothing is known to stand in its way. */
export function usePlan(ways: Ways, method: MergeMethod, into: string): Planned {
  const [planned, setPlanned] = useState<Planned>(UNKNOWN);
  const { session, head, base } = ways;
  const where = usePaced(into.trim());
  const free = obstacleOf(ways) === "";
  // biome-ignore lint/correctness/useExhaustiveDependencies: either end may have moved
  useEffect(() => {
    let wanted = true;
    if (!free) setPlanned(UNKNOWN);
    else void plannedMerge(session, method, where).then((found) => wanted && setPlanned(found));
    return () => {
      wanted = false;
    };
  }, [session, head, base.local, base.upstream, free, method, where]);
  return planned;
}
