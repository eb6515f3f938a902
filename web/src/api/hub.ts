/** Everything that can be asked of the hub, by the operation's own name. */

import type {
  ArchivePlan,
  Attachment,
  Bringing,
  Diff,
  HubStatus,
  Links,
  Machine,
  NewSession,
  OneMessage,
  Opening,
  Said,
} from "./answers";
import { command, commandOnce, fetchJson } from "./request";
import type {
  AgentView,
  AnyEvent,
  Attention,
  BudgetView,
  ConversationView,
  Mode,
  RepoView,
  SessionView,
} from "./types.gen";

const PAGE = 1000;

export const fetchStatus = () => fetchJson<HubStatus>("/status");
export const fetchAgents = () => fetchJson<AgentView[]>("/agents");
export const fetchRepos = () => fetchJson<RepoView[]>("/repos");
export const fetchSessions = () => fetchJson<SessionView[]>("/sessions");
export const fetchAllSessions = () => fetchJson<SessionView[]>("/sessions?all=true");
export const fetchSession = (id: string) => fetchJson<SessionView>(`/sessions/${id}`);

export function fetchDiff(id: string, path?: string): Promise<Diff> {
  const query = new URLSearchParams({ patch: "true", ...(path === undefined ? {} : { path }) });
  return fetchJson<Diff>(`/sessions/${id}/diff?${query}`);
}

/** What one turn changed. */
export const fetchTurnDiff = (id: string, turn: number) =>
  fetchJson<Diff>(`/sessions/${id}/diff?turn=${turn}`);

/** Which files differ from the base, without the lines. */
export const fetchFiles = async (id: string) =>
  (await fetchJson<Diff>(`/sessions/${id}/diff?patch=false`)).files;

/** The end of a session's log, oldest first. */
export const fetchLast = (id: string, limit: number) =>
  fetchJson<AnyEvent[]>(`/sessions/${id}/last?limit=${limit}`);

/** All stored events of a session after `after`, handed over page by page. */
export async function fetchEvents(
  id: string,
  after: number,
  take: (page: readonly AnyEvent[]) => void,
): Promise<void> {
  for (let last = after; ; ) {
    const page = await fetchJson<AnyEvent[]>(`/sessions/${id}/events?after=${last}&limit=${PAGE}`);
    // A page of large events is short: only an empty one is the end.
    if (page.length === 0) return;
    take(page);
    last = page.at(-1)?.seq ?? last;
  }
}

export const newSession = (body: NewSession) => command<SessionView>("/sessions", body);
export const addRepo = (path: string) => command<RepoView>("/repos", { path });
export const trustRepo = (path: string, digest: string) =>
  command<RepoView>("/repos/trust", { path, digest });
export const fetchBringing = (repo: string) =>
  fetchJson<Bringing>(`/repos/runnable?${new URLSearchParams({ repo })}`);
export const fetchMachine = () => fetchJson<Machine>("/machine");
export const fetchLinks = () => command<Links>("/link");
export const fetchTicket = () => commandOnce<{ ticket: string }>("/ticket");

export const say = (
  id: string,
  text: string,
  followUp: boolean,
  attachments: readonly Attachment[] = [],
  only: OneMessage = {},
) =>
  command<Said>(`/sessions/${id}/say`, {
    text,
    follow_up: followUp,
    ...only,
    ...(attachments.length > 0 && { attachments }),
  });
/** Opens a conversation beside the main one, or goes on with one that is open. */
export const converse = (id: string, opening: Opening) =>
  command<ConversationView>(`/sessions/${id}/conversations`, opening);
export const editFollowUp = (id: string, message: string, text: string) =>
  command<SessionView>(`/sessions/${id}/follow-ups/${message}`, { text });
export const deleteFollowUp = (id: string, message: string) =>
  command<SessionView>(`/sessions/${id}/follow-ups/${message}/delete`);
export const rewind = (id: string, checkpoint: string) =>
  command<SessionView>(`/sessions/${id}/rewind`, { checkpoint });
export const fork = (id: string, checkpoint: string) =>
  command<SessionView>(`/sessions/${id}/fork`, { checkpoint });
export const stop = (id: string) => command<SessionView>(`/sessions/${id}/stop`);
export const resume = (id: string) => command<SessionView>(`/sessions/${id}/resume`);
export const markRead = (id: string) => command<SessionView>(`/sessions/${id}/read`);
export const openInEditor = (id: string, path = "") =>
  command<{ argv: readonly string[] }>(`/sessions/${id}/open`, path === "" ? {} : { path });
export const restore = (id: string) => command<SessionView>(`/sessions/${id}/restore`);
export const setMode = (id: string, mode: Mode) =>
  command<SessionView>(`/sessions/${id}/mode`, { mode });
export const remove = (id: string, dryRun: boolean) =>
  command<ArchivePlan>(`/sessions/${id}/rm`, { yes: !dryRun, dry_run: dryRun });
export const setModel = (id: string, model: string) =>
  command<SessionView>(`/sessions/${id}/model`, { model });
export const setEffort = (id: string, effort: string) =>
  command<SessionView>(`/sessions/${id}/effort`, { effort });
export const setBudget = (id: string, budget: BudgetView) =>
  command<SessionView>(`/sessions/${id}/budget`, { ...budget });
export const snooze = (item: string, minutes: number) =>
  command<Attention>(`/attention/${item}/snooze`, { minutes });
export const archive = (id: string, dryRun: boolean) =>
  command<ArchivePlan>(`/sessions/${id}/archive`, { dry_run: dryRun });
export const answer = (item: Attention, options: readonly string[], text: string) =>
  command<Attention>(`/sessions/${item.session}/answer`, { item: item.id, options, text });
