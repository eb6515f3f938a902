/**
 * A session's view after an event, as far as the page can tell by itself.
 *
 * The hub's fold is the truth; this one only bridges the moment until the view is fetched again.
 */

import type { AnyEvent, Attention, SessionView } from "../api/types.gen";
import { MAIN, talkOf } from "./conversation";
import { visibleBidi } from "./plain";

type Change = Partial<SessionView>;

/** With a title that reads as it is stored: people and agents write titles. */
export function readable(view: SessionView): SessionView {
  const title = visibleBidi(view.title);
  return title === view.title ? view : { ...view, title };
}

export function foldView(view: SessionView, event: AnyEvent): SessionView {
  const change = changeOf(view, event);
  return change === null ? view : { ...view, ...change, updated_at: event.at };
}

function changeOf(view: SessionView, event: AnyEvent): Change | null {
  // What an aside does to the session only the hub can tell.
  if (talkOf(event) !== MAIN && !("item" in event)) return null;
  switch (event.type) {
    case "turn_started":
      return { status: "working", turn: Math.max(view.turn, event.turn ?? 0), error: null };
    case "turn_finished":
      return { status: settled({ ...view, status: "idle" }), unread: true };
    case "place_granted":
      return { status: settled({ ...view, status: "working" }), reason: "" };
    case "session_queued":
      return { reason: event.reason };
    case "session_failed":
      return { status: "failed", error: event.error, hint: event.hint ?? "", unread: true };
    case "session_renamed":
      return { title: visibleBidi(event.title) };
    case "session_read":
      return { unread: false };
    case "session_archived":
      return { status: "archived", unread: false };
    case "mode_changed":
      return { mode: event.mode };
    case "verdict_given":
      return { review: event.verdict };
    case "verdict_lapsed":
      return { review: "none" };
    case "review_sent":
      return { review: "commented" };
    case "model_changed":
      return { model: event.model };
    case "usage_recorded":
      return { cost_usd: view.cost_usd + (event.cost_usd ?? 0) };
    case "diff_changed":
      return {
        added: event.total_added ?? 0,
        removed: event.total_removed ?? 0,
        files_changed: event.total_files ?? 0,
      };
    case "plan_proposed":
    case "permission_requested":
    case "question_asked":
    case "attention_raised":
      return raised(view, event.item);
    case "attention_resolved":
      return resolved(view, event.item);
    default:
      return null;
  }
}

function raised(view: SessionView, item: Attention): Change | null {
  if (view.attention.some((other) => other.id === item.id)) return null;
  return { attention: [...view.attention, item], status: "waiting", unread: true };
}

function resolved(view: SessionView, id: string): Change {
  const attention = view.attention.filter((item) => item.id !== id);
  return { attention, status: settled({ ...view, attention, status: "working" }) };
}

function settled(view: SessionView): SessionView["status"] {
  return view.attention.length > 0 ? "waiting" : view.status;
}

/** Whether the view must be fetched again: a diff's totals are told whole, the rest is bridged. */
export function needsFetch(event: AnyEvent): boolean {
  return !STREAMED.has(event.type);
}

const STREAMED = new Set<AnyEvent["type"]>([
  "agent_message",
  "agent_thought",
  "tool_called",
  "tool_finished",
  "diff_changed",
  "message_delivered",
  "checkpoint_made",
]);
