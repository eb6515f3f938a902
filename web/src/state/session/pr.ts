/** A pull request in a few words, each with a mark: what the list of sessions shows of it. */

import type { Pr } from "../../api/types.gen";

export interface PrWord {
  readonly mark: string;
  readonly word: string;
  readonly tone: string;
}

const STATES: Readonly<Record<Pr["state"], PrWord>> = {
  open: { mark: "○", word: "open", tone: "work" },
  draft: { mark: "◌", word: "draft", tone: "faint" },
  merged: { mark: "●", word: "merged", tone: "ok" },
  closed: { mark: "⊘", word: "closed", tone: "bad" },
};
const APPROVED: PrWord = { mark: "★", word: "approved", tone: "ok" };
const CHANGES: PrWord = { mark: "↺", word: "changes", tone: "wait" };
const CHECKS: Readonly<Record<string, PrWord>> = {
  running: { mark: "◷", word: "checks running", tone: "work" },
  failed: { mark: "✕", word: "checks failed", tone: "bad" },
  passed: { mark: "✓", word: "checks passed", tone: "ok" },
};

/** Its state, or what reviewers made of an open one; then its checks, while they matter. */
export function prWords(pr: Pr): PrWord[] {
  const state = STATES[pr.state];
  if (pr.state === "merged" || pr.state === "closed") return [state];
  const reviewed = pr.review === "approved" ? APPROVED : pr.review === "changes" ? CHANGES : state;
  const checks = CHECKS[pr.checks ?? "none"];
  return [pr.state === "open" ? reviewed : state, ...(checks ? [checks] : [])];
}

const WORDS: Readonly<Record<string, string>> = {
  dirty: "In conflict with the base",
  behind: "Behind the base: update it first",
  blocked: "The forge wants an approval or a check more",
};

/** Why it cannot be merged yet, as far as is known; the forge's own word is `mergeable`. */
export function obstacle(pr: Pr, mergeable: string): string {
  if (pr.state === "draft") return "A draft is not merged";
  if (pr.checks === "failed") return "Checks failed";
  if (pr.checks === "running") return "Checks still run";
  if (pr.review === "changes") return "A reviewer asks for changes";
  return WORDS[mergeable] ?? "";
}
