import { type KeyboardEvent, useState } from "react";
import { deleteFollowUp, editFollowUp } from "../../../api/hub";
import type { Message, SessionView } from "../../../api/types.gen";
import { Button } from "../../../parts/Button";
import { attempt } from "../../../state/page/notices";

/** Messages that wait for the turn's end; they can be changed until then. */
export function FollowUps({ session }: { readonly session: SessionView }) {
  if (session.follow_ups.length === 0) return null;
  return (
    <ul className="follow-ups" aria-label="Follow-ups">
      {session.follow_ups.map((message) => (
        <FollowUp key={message.id} session={session.id} message={message} />
      ))}
    </ul>
  );
}

interface Props {
  readonly session: string;
  readonly message: Message;
}

function FollowUp({ session, message }: Props) {
  const [text, setText] = useState<string | null>(null);
  const change = (operation: () => Promise<unknown>) =>
    attempt(operation).then((worked) => {
      if (worked) setText(null);
    });
  const save = () => {
    const words = text?.trim() ?? "";
    if (words !== "") void change(() => editFollowUp(session, message.id, words));
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === "Escape") setText(null);
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    save();
  };
  if (text !== null) {
    return (
      <li className="editing">
        <textarea
          className="field"
          aria-label="Follow-up"
          rows={Math.min(6, text.split("\n").length + 1)}
          value={text}
          // biome-ignore lint/a11y/noAutofocus: it appears because the person asked to write here
          autoFocus
          onChange={(event) => setText(event.target.value)}
          onKeyDown={press}
        />
        <Button onClick={() => setText(null)}>Cancel</Button>
        <Button look="primary" disabled={text.trim() === ""} onClick={save}>
          Save
        </Button>
      </li>
    );
  }
  return (
    <li data-testid="follow-up">
      <b>Follow-up</b>
      <span className="words-of">{message.text}</span>
      <button type="button" className="bare" onClick={() => setText(message.text)}>
        Edit
      </button>
      <button
        type="button"
        className="bare"
        onClick={() => void change(() => deleteFollowUp(session, message.id))}
      >
        Delete
      </button>
    </li>
  );
}
