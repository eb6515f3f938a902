import type { ConversationView, SessionView } from "../../api/types.gen";
import { MAIN } from "../../state/session/conversation";
import { FRESH, showTalk, useTalk } from "../../state/session/talks";

const FRESH_SAYS = "Ask beside the task, with a fresh context and the same files";

/** The session's conversations, and the way to begin another one beside them. */
export function Talks({ session }: { readonly session: SessionView }) {
  const shown = useTalk(session.id);
  const tab = (id: string, label: string, title: string, name?: string) => (
    <button
      type="button"
      key={id}
      className="talk-tab"
      aria-pressed={id === shown}
      title={title}
      aria-label={name}
      data-talk={id}
      onClick={() => showTalk(session.id, id)}
    >
      {label}
    </button>
  );
  const quiet = session.conversations.length === 0 && shown === MAIN;
  return (
    <nav className="talks" aria-label="Conversations">
      {!quiet && tab(MAIN, "Main", "The session's own conversation")}
      {session.conversations.map((one, place) => tab(one.id, labelOf(one, place), saysOf(one)))}
      {session.status !== "archived" &&
        tab(FRESH, session.conversations.length > 0 ? "+" : "+ Aside", FRESH_SAYS, "+ Aside")}
    </nav>
  );
}

function labelOf({ agent, status }: ConversationView, place: number): string {
  return `${agent} ${place + 1}${status === "idle" ? "" : ` · ${status}`}`;
}

function saysOf({ agent, writes, error }: ConversationView): string {
  return error || `An aside with ${agent}, which ${writes ? "may change files" : "only reads"}`;
}
