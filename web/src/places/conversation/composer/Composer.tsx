import {
  type ClipboardEvent,
  type DragEvent,
  type KeyboardEvent,
  lazy,
  Suspense,
  useRef,
  useState,
} from "react";
import type { OneMessage } from "../../../api/answers";
import { say } from "../../../api/hub";
import type { SessionView } from "../../../api/types.gen";
import { Button, FilesButton } from "../../../parts/Button";
import { attempt } from "../../../state/page/notices";
import { useAttachments } from "../../../state/session/attachments";
import { useDraft } from "../../../state/session/drafts";
import { Choices } from "../Choices";
import { effectOf, isRunning } from "../effect";
import { FollowUps } from "./FollowUps";
import { MessagePicks } from "./MessagePicks";
import { useCompletion } from "./useCompletion";
import "./composer.css";

const Attachments = lazy(async () => ({
  default: (await import("./Attachments")).Attachments,
}));

/** Where a person speaks to the agent. A draft is kept until it has arrived. */
export function Composer({ session }: { readonly session: SessionView }) {
  const [text, change] = useDraft(session.id);
  const [sending, setSending] = useState(false);
  const [only, setOnly] = useState<OneMessage>({});
  const box = useRef<HTMLTextAreaElement>(null);
  const attaching = useAttachments(session.id);
  const completion = useCompletion(session, text, change, box);
  const ready = (text.trim() !== "" || attaching.files.length > 0) && !sending;
  const send = async (followUp: boolean) => {
    if (!ready) return;
    setSending(true);
    const sent = await attempt(() => say(session.id, text.trim(), followUp, attaching.files, only));
    if (sent) {
      change("");
      setOnly({});
      await attaching.clear();
    }
    setSending(false);
  };
  const press = (event: KeyboardEvent) => {
    if (completion.press(event)) return;
    if (event.key === "Escape") (event.target as HTMLElement).blur();
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void send(event.altKey);
  };
  const take = (event: ClipboardEvent | DragEvent, given: DataTransfer) => {
    if (given.files.length === 0) return;
    event.preventDefault();
    void attaching.add(given.files);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: files are pasted as well as dropped
    <div
      className="box"
      onDragOver={(event) => event.dataTransfer.types.includes("Files") && event.preventDefault()}
      onDrop={(event) => take(event, event.dataTransfer)}
    >
      <FollowUps session={session} />
      {attaching.files.length > 0 && (
        <Suspense fallback={null}>
          <Attachments id={session.id} attaching={attaching} />
        </Suspense>
      )}
      <div className="writing">
        <Choices completion={completion} />
        <textarea
          ref={box}
          className="field"
          aria-label="Message"
          data-testid="message"
          placeholder="Message the agent. @ for files, / for commands"
          rows={Math.min(12, Math.max(2, text.split("\n").length))}
          value={text}
          readOnly={sending}
          disabled={session.status === "archived"}
          onChange={(event) => {
            change(event.target.value);
            completion.look(event.target);
          }}
          onSelect={(event) => completion.look(event.currentTarget)}
          onPaste={(event) => take(event, event.clipboardData)}
          onBlur={completion.close}
          onKeyDown={press}
          {...completion.aria}
        />
      </div>
      <div className="under">
        <div className="how">
          <span className="effect" data-testid="effect">
            {sending ? "sending…" : effectOf(session)}
          </span>
          <MessagePicks session={session} only={only} onOnly={setOnly} />
        </div>
        <FilesButton
          label="Attach"
          title="Attach files; images can be pasted and dropped"
          onFiles={(files) => void attaching.add(files)}
        />
        {isRunning(session) && (
          <Button hint="Alt ⏎" disabled={!ready} onClick={() => void send(true)}>
            Follow up
          </Button>
        )}
        <Button
          look={ready ? "primary" : "plain"}
          hint="⏎"
          disabled={!ready}
          onClick={() => void send(false)}
        >
          Send
        </Button>
      </div>
    </div>
  );
}
