/** The choices of a new session; the last ones are the next defaults. */

import { useEffect, useState } from "react";
import type { NewSession } from "../../api/answers";
import { fetchRepos } from "../../api/hub";
import type { AgentView, BoxLevel, Mode, Network, RepoView } from "../../api/types.gen";
import { useAgents } from "../../state/agents";
import { useFleet } from "../../state/fleet/fleet";
import { attempt } from "../../state/page/notices";
import { MODES } from "../modes";

const KEY = "manyhands.new";

export interface Chosen {
  readonly repo: string;
  readonly agent: string;
  readonly model: string;
  readonly mode: Mode | "";
  readonly effort: string;
  readonly base: string;
  readonly box: BoxLevel | "";
  readonly network: Network | "";
}

/** What is chosen for one session is no default for the next. */
const ONCE = { base: "", box: "", network: "" } as const;

export interface Form {
  /** Null until they are known. */
  readonly repos: readonly RepoView[] | null;
  readonly repo: RepoView | undefined;
  readonly agents: readonly AgentView[];
  readonly agent: AgentView | undefined;
  readonly chosen: Chosen;
  readonly hint: string;
  readonly set: (change: Partial<Chosen>) => void;
  readonly putRepo: (repo: RepoView) => void;
  readonly choice: () => Omit<NewSession, "text">;
}

export function useForm(): Form {
  const [repos, setRepos] = useState<readonly RepoView[] | null>(null);
  const agents = useAgents() ?? [];
  const [chosen, setChosen] = useState<Chosen>(lastChosen);
  useEffect(() => {
    void attempt(async () => setRepos(await fetchRepos()));
  }, []);
  const repo = repos?.find(({ path }) => path === chosen.repo) ?? repos?.at(-1);
  const agent = agents.find(({ name }) => name === chosen.agent);
  return {
    repos,
    repo,
    agents,
    agent,
    chosen,
    hint: repos === null ? "" : hintOf(repo, agent),
    set: (change) => setChosen({ ...chosen, ...change }),
    putRepo: (fresh) => {
      setRepos((known) => [...(known ?? []).filter(({ path }) => path !== fresh.path), fresh]);
      setChosen({ ...chosen, repo: fresh.path });
    },
    choice: () => {
      localStorage.setItem(KEY, JSON.stringify({ ...chosen, ...ONCE }));
      return { repo: repo?.path ?? "", ...given(chosen, agent) };
    },
  };
}

/** Only what was chosen, so that the hub's own defaults hold for the rest. */
function given(chosen: Chosen, agent: AgentView | undefined) {
  const { mode, effort, box, network } = chosen;
  const [base, model] = [chosen.base.trim(), chosen.model.trim()];
  return {
    ...(mode && { mode }),
    ...(agent && { agent: agent.name }),
    ...(model && { model }),
    ...(effort && { effort }),
    ...(base && { base }),
    ...(box && { box }),
    ...(network && { network }),
  };
}

function hintOf(repo: RepoView | undefined, agent: AgentView | undefined): string {
  if (repo === undefined) return "Name a repository to begin.";
  if (!repo.trusted) return "Trust the repository to begin.";
  return agent?.hint ?? "";
}

function lastChosen(): Chosen {
  const usual: Chosen = {
    repo: newestRepo(),
    agent: "",
    model: "",
    mode: "",
    effort: "",
    ...ONCE,
  };
  try {
    const stored = JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<Chosen>;
    const mode = MODES.find((known) => known.mode === stored.mode)?.mode ?? usual.mode;
    return { ...usual, ...stored, mode, ...ONCE };
  } catch {
    return usual;
  }
}

function newestRepo(): string {
  const sessions = Object.values(useFleet.getState().sessions);
  return sessions.sort((a, b) => b.created_at.localeCompare(a.created_at))[0]?.repo ?? "";
}
