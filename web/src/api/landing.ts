/** Commits, pull requests and their merges, by the operations' own names. */

import { command, fetchJson } from "./request";
import type {
  DraftAction as Acting,
  MergeMethod,
  OpenPr,
  UpdateMethod,
  WatchRequest,
} from "./types.gen";

export type {
  CheckView as Check,
  Committed,
  LandingWays as Ways,
  MergeMethod,
  MergeView,
  OpenPr,
  PrOpened,
  Proposal,
  PrPlan,
  PrStatus,
  ScanFinding as Finding,
  ThreadView as Thread,
  UpdateMethod,
  WatchView as Watch,
} from "./types.gen";
export type DraftAction = Acting["action"];

export const fetchProposal = (ref: string) => fetchJson("/sessions/{ref}/commit", { ref });
export const askForMessage = (ref: string, paths: readonly string[]) =>
  command("/sessions/{ref}/commit/message", { ref }, { paths });
export const commit = (ref: string, message: string, paths: readonly string[], anyway: boolean) =>
  command("/sessions/{ref}/commit", { ref }, { message, paths, anyway });
export const fetchPlan = (ref: string, base = "", template = "") =>
  fetchJson("/sessions/{ref}/pr/plan", { ref }, { base, ...(template && { template }) });
export const openPr = (ref: string, asked: OpenPr) => command("/sessions/{ref}/pr", { ref }, asked);
export const updatePr = (ref: string, accept: readonly string[]) =>
  command("/sessions/{ref}/pr", { ref }, { accept });
export const setReady = (ref: string) => command("/sessions/{ref}/pr", { ref }, { draft: false });
export const fetchPrStatus = (ref: string) => fetchJson("/sessions/{ref}/pr", { ref });
export const actOnDraft = (ref: string, draft: string, action: DraftAction, text = "") =>
  command("/sessions/{ref}/pr/drafts", { ref }, { draft, action, text });
/** How many times by itself; 0 is not at all. */
export const watchPr = (ref: string, times: WatchRequest) =>
  command("/sessions/{ref}/pr/watch", { ref }, times);
export const mergePr = (ref: string, method: MergeMethod) =>
  command("/sessions/{ref}/pr/merge", { ref }, { method });
export const fetchWays = (ref: string) => fetchJson("/sessions/{ref}/landing/ways", { ref });
/** The base as its remote has it at this moment. */
export const fetchBase = (ref: string) =>
  fetchJson("/sessions/{ref}/base", { ref }, { fetch: true });
/** What a merge would do; nothing is moved. A target behind its remote is brought forward first. */
export const planMerge = (ref: string, method: MergeMethod, into = "") =>
  command("/sessions/{ref}/merge", { ref }, { method, into, dry_run: true, forward: true });
export const merge = (ref: string, method: MergeMethod, into = "", message = "") =>
  command("/sessions/{ref}/merge", { ref }, { method, into, message, forward: true });
export const update = (ref: string, method: UpdateMethod = "merge") =>
  command("/sessions/{ref}/update", { ref }, { method });
export const abortUpdate = (ref: string) =>
  command("/sessions/{ref}/update", { ref }, { abort: true });
