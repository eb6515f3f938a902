/** What landing and the radar leave in the conversation; null: nothing, undefined: not theirs. */

import type { AnyEvent, Issue, Meet, Pr } from "../../api/types.gen";
import type { Note } from "./note";
import { prWords } from "./pr";
import { trackerNote } from "./trackerNote";
import { trainNote } from "./trainNote";

const SILENT = new Set<string>([
  "commit_started",
  "review_draft_ended",
  "merge_started",
  "merge_prepared",
  "checks_reported",
  "update_secured",
  "watch_renewed",
]);

export function landingNote(event: AnyEvent): Note | null | undefined {
  switch (event.type) {
    case "issue_linked":
      return plain(`Task: ${issueText(event.issue)}`);
    case "commit_made":
      return plain(`Committed ${short(event.commit)} ${firstLine(event.message)}`);
    case "commit_failed":
      return bad(`Nothing was committed: ${event.error}`);
    case "branch_pushed":
      return plain(`Pushed ${short(event.commit)} to ${event.remote}/${event.branch}`);
    case "pr_changed":
      return plain(prText(event.pr));
    case "review_draft_imported":
      return plain(remarkText(event.draft));
    case "conflict_changed":
      return conflictText(event.base || "another session", event.paths ?? []);
    case "base_moved":
      return plain(`${event.base} is at ${short(event.commit)} now`);
    case "checks_started":
      return plain(`Checks run: ${event.commands.join(", ")}`);
    case "checks_finished":
      return event.passed
        ? plain("Checks passed")
        : bad(`Checks failed: ${event.failed || event.error}`);
    case "session_merged":
      return plain(`Merged into ${event.into} as ${short(event.commit)}`);
    case "target_forwarded":
      return plain(`${event.into} was brought to ${short(event.commit)} first`);
    case "base_landed":
      return plain(`${event.was} has landed: this stands on ${event.base} now`);
    case "restack_ended":
      return event.note ? bad(event.note) : null;
    case "merge_failed":
      return bad(`Nothing was merged: ${event.error}`);
    case "watch_changed":
      return plain("What comes to the agent from its pull request was changed");
    case "watch_delivered":
      return plain(`${WATCHED[event.reason]} went to the agent`);
    case "watch_stopped":
      return bad(`${WATCHED[event.reason]} go to the agent no more: all rounds are used up`);
    case "update_started":
      return plain(`${event.base} comes in`);
    case "update_applied":
      return event.conflicts?.length
        ? bad(`${event.base} is in, with conflicts in ${event.conflicts.join(", ")}`)
        : plain(`${event.base} is in`);
    case "update_finished":
      return plain("The conflicts are settled");
    case "update_aborted":
      return plain("The update was taken back");
    default:
      return SILENT.has(event.type) ? null : further(event);
  }
}

function further(event: AnyEvent): Note | null | undefined {
  const note = trainNote(event);
  return note === undefined ? trackerNote(event) : note;
}

const WATCHED = { checks: "Failing checks", reviews: "Remarks" };

function issueText({ number, key = "", origin }: Issue): string {
  if (number) return `issue #${number} of ${origin}`;
  return key ? `issue ${key} of ${origin}` : origin;
}

function prText(pr: Pr): string {
  const words = prWords(pr).map(({ word }) => word);
  return `Pull request #${pr.number}: ${words.join(", ")}`;
}

function remarkText(draft: {
  readonly kind: string;
  readonly author?: string;
  readonly path?: string;
  readonly line?: number;
}): string {
  if (draft.kind === "check") return `Check ${draft.author} failed`;
  const place = [draft.path, draft.line || ""].filter(Boolean).join(":");
  return `${draft.author} has a remark${place && ` on ${place}`}`;
}

function conflictText(other: string, meets: readonly Meet[]): Note | null {
  if (meets.length === 0) return plain(`No conflict with ${other} any more`);
  const paths = meets.filter(({ kind }) => kind === "conflict").map(({ path }) => path);
  return paths.length > 0 ? bad(`In conflict with ${other}: ${paths.join(", ")}`) : null;
}

const short = (commit: string) => commit.slice(0, 7);
const firstLine = (text: string) => text.trim().split("\n", 1)[0] ?? "";
const plain = (text: string): Note => ({ text, bad: false });
const bad = (text: string): Note => ({ text, bad: true });
