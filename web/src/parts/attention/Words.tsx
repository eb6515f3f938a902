import { type KeyboardEvent, useState } from "react";
import { draft, setDraft } from "../../state/session/drafts";
import { Button } from "../Button";

interface Props {
  /** Under which the unsent words are kept. */
  readonly name: string;
  readonly label: string;
  readonly action: string;
  readonly busy: boolean;
  /** Rows to begin with. */
  readonly least?: number;
  readonly onSend: (text: string) => void;
  readonly onClose?: () => void;
}

/** Words that go with an answer. Enter sends, Escape puts them away unsent. */
export function Words({ name, label, action, busy, least = 2, onSend, onClose }: Props) {
  const [text, setText] = useState(() => draft(name));
  const change = (next: string) => {
    setText(next);
    setDraft(name, next);
  };
  const send = () => {
    if (text.trim() === "") return;
    setDraft(name, "");
    onSend(text.trim());
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === "Escape" && onClose) onClose();
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <div className="words">
      <textarea
        className="field"
        rows={Math.min(8, Math.max(least, text.split("\n").length))}
        aria-label={label}
        placeholder={label}
        value={text}
        // biome-ignore lint/a11y/noAutofocus: it appears because the person asked to write here
        autoFocus={onClose !== undefined}
        onChange={(event) => change(event.target.value)}
        onKeyDown={press}
      />
      <Button size="large" disabled={busy || text.trim() === ""} onClick={send}>
        {action}
      </Button>
    </div>
  );
}
