import { useEffect, useState } from "react";
import type { Machine } from "../../api/answers";
import { addRepo, fetchMachine, fetchRepos } from "../../api/hub";
import type { RepoView } from "../../api/types.gen";
import { Button } from "../../parts/Button";
import { Trust } from "../../parts/Trust";
import { useAgents } from "../../state/agents";
import { attempt } from "../../state/page/notices";
import { setCover } from "../../state/page/screen";
import { AddRepo } from "../new/AddRepo";
import { AgentList } from "./AgentList";
import { Step } from "./Step";
import "./welcome.css";

/** The first steps: git, agents, a repository, and then the first task. */
export default function Welcome() {
  const [machine, setMachine] = useState<Machine | null>(null);
  const [repos, setRepos] = useState<readonly RepoView[]>([]);
  const agents = useAgents();
  useEffect(() => {
    void attempt(async () => setMachine(await fetchMachine()));
    void attempt(async () => setRepos(await fetchRepos()));
  }, []);
  const put = (fresh: RepoView) =>
    setRepos((known) => [...known.filter(({ path }) => path !== fresh.path), fresh]);
  const add = async (path: string) => {
    await attempt(async () => put(await addRepo(path)));
  };
  const git = machine?.git;
  const usable = agents?.filter((agent) => agent.installed && agent.logged_in !== false) ?? [];
  const trusted = repos.filter((repo) => repo.trusted);
  return (
    <main className="welcome" data-testid="welcome">
      <h1>Give your first agent a task</h1>
      <p>
        A session is one task: its own branch and worktree of your repository, and an agent that
        works there. Your own checkout is never touched.
      </p>
      <ol>
        <Step title="Git" done={git?.ok ?? null}>
          <p>{git === undefined ? "Looking…" : [git.detail, git.fix].filter(Boolean).join(" ")}</p>
        </Step>
        <Step title="Agents" done={agents === null ? null : usable.length > 0}>
          <AgentList agents={agents ?? []} />
        </Step>
        <Step title="Repository" done={trusted.length > 0}>
          {trusted.map(({ path }) => (
            <p key={path}>
              <code>{path}</code>
            </p>
          ))}
          {repos
            .filter((repo) => !repo.trusted)
            .map((repo) => (
              <Trust key={repo.path} repo={repo} onTrusted={put} />
            ))}
          <AddRepo onAdd={add} onCancel={null} />
        </Step>
        <Step title="First task" done={null}>
          <Button
            look={trusted.length > 0 ? "primary" : "plain"}
            hint="N"
            onClick={() => setCover({ name: "new" })}
          >
            New session
          </Button>
        </Step>
      </ol>
    </main>
  );
}
