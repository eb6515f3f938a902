/** Commits, pull requests and their merges, by the operations' own names. */

import { command, fetchJson } from "./request";
import type { Pr, ReviewDraft } from "./types.gen";

export interface Proposal {
  readonly message: string;
  readonly files: readonly string[];
  readonly working: boolean;
  readonly by_agent: boolean;
  readonly note: string;
}

export interface Committed {
  readonly commit: string;
  readonly message: string;
  readonly output: string;
  readonly note: string;
}

export interface Finding {
  readonly id: string;
  readonly kind: "secret" | "env_file" | "large_file" | "workflow";
  readonly path: string;
  readonly line: number;
  readonly detail: string;
}

export interface PrPlan {
  readonly title: string;
  readonly body: string;
  readonly base: string;
  readonly repo: string;
  readonly commits: number;
  readonly findings: readonly Finding[];
  readonly uncommitted: number;
}

export interface PrOpened {
  readonly pr: Pr;
  readonly created: boolean;
  readonly output: string;
  readonly notes: readonly string[];
}

export interface Check {
  readonly name: string;
  readonly state: "running" | "failed" | "passed" | "skipped";
  readonly url: string;
  readonly steps: readonly { readonly name: string; readonly log: string }[];
}

export interface Thread {
  readonly id: string;
  readonly comments: readonly { readonly author: string; readonly body: string }[];
}

export interface PrStatus {
  readonly pr: Pr;
  readonly mergeable: string;
  readonly threads: readonly Thread[];
  readonly checks: readonly Check[];
  readonly drafts: readonly ReviewDraft[];
}

export type DraftAction = "send" | "reply" | "resolve" | "dismiss";
export type Method = "merge" | "squash" | "rebase";

const at = (id: string, operation: string) => `/sessions/${id}/${operation}`;

export const fetchProposal = (id: string) => fetchJson<Proposal>(at(id, "commit"));
export const askForMessage = (id: string, paths: readonly string[]) =>
  command<Proposal>(at(id, "commit/message"), { paths });
export const commit = (id: string, message: string, paths: readonly string[]) =>
  command<Committed>(at(id, "commit"), { message, paths });
export const fetchPlan = (id: string) => fetchJson<PrPlan>(at(id, "pr/plan"));
export const openPr = (id: string, draft: boolean, title: string, accept: readonly string[]) =>
  command<PrOpened>(at(id, "pr"), { draft, title, accept });
export const updatePr = (id: string, accept: readonly string[]) =>
  command<PrOpened>(at(id, "pr"), { accept });
export const setReady = (id: string) => command<PrOpened>(at(id, "pr"), { draft: false });
export const fetchPrStatus = (id: string) => fetchJson<PrStatus>(at(id, "pr"));
export const actOnDraft = (id: string, draft: string, action: DraftAction, text = "") =>
  command<ReviewDraft>(at(id, "pr/drafts"), { draft, action, text });
export const mergePr = (id: string, method: Method) =>
  command<{ pr: Pr }>(at(id, "pr/merge"), { method });
