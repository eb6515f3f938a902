/** The line that an event leaves in the conversation, for those that are neither words nor work. */

import type { AnyEvent } from "../api/types.gen";

export interface Note {
  readonly text: string;
  readonly bad: boolean;
}

/** Events that the page shows elsewhere, or that say nothing to a reader. */
const SILENT = new Set<string>([
  "session_created",
  "step_started",
  "step_finished",
  "worktree_ready",
  "session_ready",
  "place_granted",
  "session_read",
  "keeper_started",
  "keeper_exited",
  "keeper_reached",
  "answer_delivered",
  "diff_changed",
  "checkpoint_made",
  "repo_added",
  "repo_trusted",
  "rule_added",
  "session_renamed",
  "follow_up_added",
  "comment_drafted",
  "comment_discarded",
  "comment_resolved",
  "comment_reopened",
  "suggestion_applied",
  "review_sent",
  "file_viewed",
  "file_unviewed",
]);

export function noteOf(event: AnyEvent): Note | null {
  switch (event.type) {
    case "note_made":
      return plain(event.text);
    case "mode_changed":
      return plain(`Mode is now ${event.mode}`);
    case "model_changed":
      return plain(`Model is now ${event.model}`);
    case "session_queued":
      return plain(`Queued: ${event.reason}`);
    case "session_failed":
      return bad(
        [`Failed at ${event.step}: ${event.error}`, event.hint].filter(Boolean).join(" — "),
      );
    case "verdict_given":
      return plain(event.verdict === "approved" ? "You approved the changes" : "You reviewed");
    case "verdict_lapsed":
      return plain("The verdict no longer holds: the files changed");
    case "change_reverted":
      return plain(`You reverted ${event.lines ? "a change in " : ""}${event.path}`);
    case "session_archived":
      return plain("Archived");
    case "session_restored":
      return plain(event.note ? `Restored: ${event.note}` : "Restored");
    case "keeper_unreachable":
      return bad(`The keeper cannot be reached: ${event.reason}`);
    case "agent_started":
      return event.resumed ? plain("The agent was resumed with its history") : null;
    case "agent_exited":
      return event.expected ? null : bad(exitText(event.returncode ?? null, event.reason ?? ""));
    default:
      return SILENT.has(event.type) ? null : plain(`${event.type.replaceAll("_", " ")}`);
  }
}

function exitText(code: number | null, reason: string): string {
  const why = reason || (code === null ? "" : `exit code ${code}`);
  return why ? `The agent stopped: ${why}` : "The agent stopped unexpectedly";
}

function plain(text: string): Note {
  return { text, bad: false };
}

function bad(text: string): Note {
  return { text, bad: true };
}
