/** What trackers leave in the conversation; null: nothing, undefined: not theirs. */

import type { AnyEvent, Stage } from "../../api/types.gen";
import type { Note } from "./note";

const STAGES: Readonly<Record<Stage, string>> = {
  in_progress: "in progress",
  in_review: "in review",
  done: "done",
};

export function trackerNote(event: AnyEvent): Note | null | undefined {
  switch (event.type) {
    case "issue_stage_announced":
      return plain(`${event.issue} is ${STAGES[event.stage]} in its tracker`);
    case "issue_stage_failed":
      return bad(
        `The tracker was not told that ${event.issue} is ${STAGES[event.stage]}: ${event.error}`,
      );
    case "proposed_issue_created":
      return plain(`Made issue ${event.issue.key}: ${event.issue.title}`);
    case "issue_stage_retried":
    case "issues_proposed":
      return null;
    default:
      return undefined;
  }
}

const plain = (text: string): Note => ({ text, bad: false });
const bad = (text: string): Note => ({ text, bad: true });
