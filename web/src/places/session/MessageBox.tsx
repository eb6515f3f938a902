import { type KeyboardEvent, useState } from "react";
import { say } from "../../api/hub";
import type { SessionView } from "../../api/types.gen";
import { Button } from "../../parts/Button";
import { draft, setDraft } from "../../state/drafts";
import { fetchSoon } from "../../state/fleet";
import { attempt } from "../../state/notices";

/** Where a person speaks to the agent. A draft is kept until it has arrived. */
export function MessageBox({ session }: { readonly session: SessionView }) {
  const [text, setText] = useState(() => draft(session.id));
  const [sending, setSending] = useState(false);
  const change = (next: string) => {
    setText(next);
    setDraft(session.id, next);
  };
  const send = async (followUp: boolean) => {
    const words = text.trim();
    if (words === "" || sending) return;
    setSending(true);
    if (await attempt(() => say(session.id, words, followUp))) {
      change("");
      fetchSoon(session.id);
    }
    setSending(false);
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === "Escape") (event.target as HTMLElement).blur();
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void send(event.altKey);
  };
  const runs = isRunning(session);
  return (
    <div className="box">
      <FollowUps session={session} />
      <textarea
        className="field"
        aria-label="Message"
        data-testid="message"
        placeholder="Message the agent"
        rows={Math.min(8, Math.max(2, text.split("\n").length))}
        value={text}
        readOnly={sending}
        disabled={session.status === "archived"}
        onChange={(event) => change(event.target.value)}
        onKeyDown={press}
      />
      <div className="under">
        <span data-testid="effect">{sending ? "sending…" : effect(session)}</span>
        <span className="spring" />
        {runs && (
          <Button
            hint="Alt ⏎"
            disabled={text.trim() === "" || sending}
            onClick={() => void send(true)}
          >
            Follow up
          </Button>
        )}
        <Button
          look={text.trim() === "" ? "plain" : "primary"}
          hint="⏎"
          disabled={text.trim() === "" || sending}
          onClick={() => void send(false)}
        >
          Send
        </Button>
      </div>
    </div>
  );
}

function FollowUps({ session }: { readonly session: SessionView }) {
  if (session.follow_ups.length === 0) return null;
  return (
    <ul className="follow-ups" aria-label="Follow-ups">
      {session.follow_ups.map((message) => (
        <li key={message.id}>
          <b>Follow-up</b> {message.text}
        </li>
      ))}
    </ul>
  );
}

function isRunning(session: SessionView): boolean {
  return session.status === "working" || session.status === "waiting";
}

/** What sending will do, said before it is done. */
function effect(session: SessionView): string {
  switch (session.status) {
    case "working":
    case "waiting":
      return "steers the running turn";
    case "queued":
    case "preparing":
      return "is read when the turn starts";
    case "failed":
    case "unreachable":
      return "starts the agent again";
    case "archived":
      return "archived: restore it to go on";
    default:
      return "starts a turn";
  }
}
