/** The line that an event leaves in the conversation, for those that are neither words nor work. */

import type { AnyEvent, ServiceExited } from "../../api/types.gen";
import { count } from "../../parts/format";
import { landingNote } from "./landingNote";

export interface Note {
  readonly text: string;
  readonly bad: boolean;
}

/** Events that the page shows elsewhere, or that say nothing to a reader. */
const SILENT = new Set<string>([
  "session_created",
  "step_started",
  "job_started",
  "job_step_started",
  "job_step_finished",
  "job_reported",
  "job_paused",
  "job_cancel_asked",
  "job_ended",
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
  "follow_up_edited",
  "follow_up_deleted",
  "todos_changed",
  "permission_decided",
  "session_rule_added",
  "session_rule_removed",
  "rule_removed",
  "rewind_started",
  "worktree_planned",
  "database_claimed",
  "database_branched",
  "teardown_finished",
  "session_stopped",
  "context_measured",
  "commands_listed",
  "base_resolved",
  "ports_leased",
  "listening_changed",
  "service_wanted",
  "service_unwanted",
  "service_started",
  "service_healthy",
  "service_unhealthy",
  "terminal_opened",
  "terminal_changed",
  "terminal_exited",
  "terminal_closed",
  "files_copied",
  "setup_output",
  "setup_started",
  "comment_drafted",
  "comment_discarded",
  "comment_resolved",
  "comment_reopened",
  "suggestion_applied",
  "review_sent",
  "file_viewed",
  "file_unviewed",
  "person_notified",
  "attention_snoozed",
  "expiry_announced",
  "clock_jumped",
  "spare_started",
  "spare_filled",
  "spare_leased",
  "spare_dropped",
  "box_entered",
]);

export function noteOf(event: AnyEvent): Note | null {
  switch (event.type) {
    case "note_made":
      return plain(event.text);
    case "checkpoint_failed":
      return bad(`The turn has no checkpoint: ${event.error}`);
    case "mode_changed":
      return plain(`Mode is now ${event.mode}`);
    case "model_changed":
      return plain(`Model is now ${event.model}`);
    case "effort_changed":
      return plain(event.effort ? `Effort is now ${event.effort}` : "Effort is the agent's own");
    case "budget_changed":
      return plain(budgetText(event.usd ?? null, event.minutes ?? null));
    case "box_changed":
      return plain(boxText(event.level ?? null, event.network ?? null));
    case "compacted":
      return plain(compactedText(event.before ?? 0, event.after ?? 0));
    case "agent_retried":
      return plain("The model did not answer; the agent tries again");
    case "agent_held":
      return plain(
        event.on === false ? "The agent goes on" : "The agent is held: the budget is used up",
      );
    case "conversation_resumed":
      return plain("Goes on with what the agent had said here before");
    case "conversation_taken":
      return plain(`You took the conversation over, in the terminal ${event.name}`);
    case "conversation_returned":
      return event.reason
        ? bad(`The conversation is back here: ${event.reason}`)
        : plain("The conversation is back here");
    case "conversation_opened":
      return plain(`Another conversation began: ${event.agent}`);
    case "session_rewound":
      return plain(["Files went back to", `checkpoint ${event.checkpoint}.`, event.note].join(" "));
    case "setup_finished":
      return event.outcome === "failed"
        ? bad(`Setup failed: ${event.error || event.failed || "see the log"}`)
        : null;
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
    case "service_exited":
      return crashNote(event);
    default:
      return SILENT.has(event.type) ? null : other(event);
  }
}

/** Only of one that is not started again: the rest is seen in its pane. */
function crashNote(event: ServiceExited): Note | null {
  const over = event.end === "crashed" && (event.again_in ?? null) === null;
  return over ? bad(`The service ${event.name} crashed: ${event.reason}`) : null;
}

function other(event: AnyEvent): Note | null {
  const landing = landingNote(event);
  return landing === undefined ? plain(event.type.replaceAll("_", " ")) : landing;
}

function budgetText(usd: number | null, minutes: number | null): string {
  const parts = [usd !== null && `$${usd}`, minutes !== null && `${minutes} min`].filter(Boolean);
  return parts.length > 0 ? `Budget is now ${parts.join(", ")}` : "Budget is the configured one";
}

function boxText(level: string | null, network: string | null): string {
  const parts = [
    level && (level === "none" ? "no box" : `a ${level} box`),
    network && `network ${network}`,
  ];
  const chosen = parts.filter(Boolean).join(", ");
  return chosen ? `You chose ${chosen}, from the next turn` : "The box is the configured one";
}

function compactedText(before: number, after: number): string {
  const sizes = before > 0 && after > 0 ? `: ${count(before)} tokens became ${count(after)}` : "";
  return `The agent summed up what was said${sizes}`;
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
