import { type FormEvent, type KeyboardEvent, useState } from "react";
import { useLocation } from "wouter";
import { newSession } from "../../api/hub";
import { Button } from "../../parts/Button";
import { Dialog } from "../../parts/Dialog";
import { draft, setDraft } from "../../state/drafts";
import { putSession } from "../../state/fleet";
import { attempt } from "../../state/notices";
import { uncover } from "../../state/screen";
import { sessionPath } from "../routes";
import { AgentField, BaseField, ModeField } from "./fields";
import { RepoField } from "./RepoField";
import { useForm } from "./useForm";
import "./new.css";

const DRAFT = "new";

/** A task in words becomes a session. */
export function NewSession() {
  const [text, setText] = useState(() => draft(DRAFT));
  const [busy, setBusy] = useState(false);
  const [, navigate] = useLocation();
  const form = useForm();
  const ready = text.trim() !== "" && form.repo?.trusted === true && !busy;
  const change = (next: string) => {
    setText(next);
    setDraft(DRAFT, next);
  };
  const start = async (event?: FormEvent) => {
    event?.preventDefault();
    if (!ready) return;
    setBusy(true);
    await attempt(async () => {
      const session = await newSession({ text: text.trim(), detach: true, ...form.choice() });
      putSession(session);
      change("");
      uncover();
      navigate(sessionPath(session.id));
    });
    setBusy(false);
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void start();
  };
  return (
    <Dialog title="New session">
      <form onSubmit={(event) => void start(event)} onKeyDown={press} data-testid="new-session">
        <div className="body new-body">
          <textarea
            className="field"
            rows={5}
            aria-label="Task"
            placeholder="What should be done?"
            value={text}
            data-first
            onChange={(event) => change(event.target.value)}
          />
          <RepoField form={form} />
          <div className="new-row">
            <AgentField form={form} />
            <ModeField form={form} />
            <BaseField form={form} />
          </div>
        </div>
        <div className="actions">
          <span className="aside">{busy ? "Starting…" : form.hint}</span>
          <Button look="primary" type="submit" hint="Ctrl ⏎" disabled={!ready}>
            Start
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
