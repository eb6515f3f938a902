/** The choices of a new session; the last ones are the next defaults. */

import { useEffect, useState } from "react";
import type { NewSession } from "../../api/answers";
import { fetchAgents, fetchRepos } from "../../api/hub";
import type { AgentView, Mode, RepoView } from "../../api/types.gen";
import { useFleet } from "../../state/fleet";
import { attempt } from "../../state/notices";
import { MODES } from "../modes";

const KEY = "manyhands.new";

interface Chosen {
  readonly repo: string;
  readonly agent: string;
  readonly mode: Mode | "";
  readonly base: string;
}

export interface Form {
  readonly repos: readonly RepoView[];
  readonly repo: RepoView | undefined;
  readonly agents: readonly AgentView[];
  readonly chosen: Chosen;
  readonly hint: string;
  readonly set: (change: Partial<Chosen>) => void;
  readonly putRepo: (repo: RepoView) => void;
  readonly choice: () => Omit<NewSession, "text">;
}

export function useForm(): Form {
  const [repos, setRepos] = useState<readonly RepoView[]>([]);
  const [agents, setAgents] = useState<readonly AgentView[]>([]);
  const [chosen, setChosen] = useState<Chosen>(lastChosen);
  useEffect(() => {
    void attempt(async () => setRepos(await fetchRepos()));
    void attempt(async () => setAgents(await fetchAgents()));
  }, []);
  const repo = repos.find(({ path }) => path === chosen.repo) ?? repos.at(-1);
  const agent = agents.find(({ name }) => name === chosen.agent);
  return {
    repos,
    repo,
    agents,
    chosen,
    hint: hintOf(repo, agent),
    set: (change) => setChosen({ ...chosen, ...change }),
    putRepo: (fresh) => {
      setRepos((known) => [...known.filter(({ path }) => path !== fresh.path), fresh]);
      setChosen({ ...chosen, repo: fresh.path });
    },
    choice: () => {
      localStorage.setItem(KEY, JSON.stringify({ ...chosen, base: "" }));
      const base = chosen.base.trim();
      return {
        repo: repo?.path ?? "",
        ...(chosen.mode && { mode: chosen.mode }),
        ...(agent && { agent: agent.name }),
        ...(base && { base }),
      };
    },
  };
}

function hintOf(repo: RepoView | undefined, agent: AgentView | undefined): string {
  if (repo === undefined) return "Name a repository to begin.";
  if (!repo.trusted) return "Trust the repository to begin.";
  return agent?.hint ?? "";
}

function lastChosen(): Chosen {
  const usual: Chosen = { repo: newestRepo(), agent: "", mode: "", base: "" };
  try {
    const stored = JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<Chosen>;
    const mode = MODES.find((known) => known.mode === stored.mode)?.mode ?? usual.mode;
    return { ...usual, ...stored, mode };
  } catch {
    return usual;
  }
}

function newestRepo(): string {
  const sessions = Object.values(useFleet.getState().sessions);
  return sessions.sort((a, b) => b.created_at.localeCompare(a.created_at))[0]?.repo ?? "";
}
