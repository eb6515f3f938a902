/** Everything that can be asked of the hub, by the operation's own name. */

import type { Attachment, NewSession, OneMessage, Opening } from "./answers";
import { command, commandOnce, fetchJson } from "./request";
import type { Attention, BoxChoice, BudgetChoice, Effort, Mode, New } from "./types.gen";

export const fetchStatus = () => fetchJson("/status", {});
export const fetchAgents = () => fetchJson("/agents", {});
export const fetchRepos = () => fetchJson("/repos", {});
export const fetchAllSessions = () => fetchJson("/sessions", {}, { all: true });
export const fetchSession = (ref: string) => fetchJson("/sessions/{ref}", { ref });

export const fetchDiff = (ref: string, path?: string) =>
  fetchJson("/sessions/{ref}/diff", { ref }, { patch: true, ...(path !== undefined && { path }) });

/** What one turn changed. */
export const fetchTurnDiff = (ref: string, turn: number) =>
  fetchJson("/sessions/{ref}/diff", { ref }, { turn });

/** Which files differ from the base, without the lines. */
export const fetchFiles = async (ref: string) =>
  (await fetchJson("/sessions/{ref}/diff", { ref }, { patch: false })).files;

export const newSession = (body: NewSession) => command("/sessions", {}, body as New);
export const addRepo = (path: string) => command("/repos", {}, { path });
export const trustRepo = (path: string, digest: string) =>
  command("/repos/trust", {}, { path, digest });
export const fetchBringing = (repo: string) => fetchJson("/repos/runnable", {}, { repo });
export const fetchMachine = () => fetchJson("/machine", {});
export const fetchLinks = () => command("/link", {});
export const fetchTicket = () => commandOnce("/ticket");

export const say = (
  ref: string,
  text: string,
  followUp: boolean,
  attachments: readonly Attachment[] = [],
  only: OneMessage = {},
) =>
  command(
    "/sessions/{ref}/say",
    { ref },
    {
      text,
      follow_up: followUp,
      ...(only as { effort?: Effort }),
      ...(attachments.length > 0 && { attachments }),
    },
  );
/** Opens a conversation beside the main one, or goes on with one that is open. */
export const converse = (ref: string, opening: Opening) =>
  command("/sessions/{ref}/conversations", { ref }, opening);
export const editFollowUp = (ref: string, id: string, text: string) =>
  command("/sessions/{ref}/follow-ups/{id}", { ref, id }, { text });
export const deleteFollowUp = (ref: string, id: string) =>
  command("/sessions/{ref}/follow-ups/{id}/delete", { ref, id });
export const rewind = (ref: string, checkpoint: string) =>
  command("/sessions/{ref}/rewind", { ref }, { checkpoint });
export const fork = (ref: string, checkpoint: string) =>
  command("/sessions/{ref}/fork", { ref }, { checkpoint });
/** Starts the agent's own program with the conversation; its terminal is the answer. */
export const take = (ref: string) => command("/sessions/{ref}/take", { ref }, {});
export const give = (ref: string) => command("/sessions/{ref}/give", { ref });
export const stop = (ref: string) => command("/sessions/{ref}/stop", { ref });
export const resume = (ref: string) => command("/sessions/{ref}/resume", { ref });
export const markRead = (ref: string) => command("/sessions/{ref}/read", { ref });
export const openInEditor = (ref: string, path = "", line = 0) =>
  command(
    "/sessions/{ref}/open",
    { ref },
    { ...(path !== "" && { path }), ...(line > 0 && { line }) },
  );
export const restore = (ref: string) => command("/sessions/{ref}/restore", { ref });
export const setMode = (ref: string, mode: Mode) =>
  command("/sessions/{ref}/mode", { ref }, { mode });
export const remove = (ref: string, dryRun: boolean) =>
  command("/sessions/{ref}/rm", { ref }, { yes: !dryRun, dry_run: dryRun });
export const setModel = (ref: string, model: string) =>
  command("/sessions/{ref}/model", { ref }, { model });
export const setEffort = (ref: string, effort: string) =>
  command("/sessions/{ref}/effort", { ref }, { effort: effort as Effort });
export const setBudget = (ref: string, budget: BudgetChoice) =>
  command("/sessions/{ref}/budget", { ref }, { ...budget });
export const setBox = (ref: string, box: BoxChoice) =>
  command("/sessions/{ref}/box", { ref }, { ...box });
export const snooze = (item: string, minutes: number) =>
  command("/attention/{item}/snooze", { item }, { minutes });
export const archive = (ref: string, dryRun: boolean) =>
  command("/sessions/{ref}/archive", { ref }, { dry_run: dryRun });
export const answer = (item: Attention, options: readonly string[], text: string) =>
  command("/sessions/{ref}/answer", { ref: item.session }, { item: item.id, options, text });
