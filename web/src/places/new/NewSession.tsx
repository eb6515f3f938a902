import { type ClipboardEvent, type FormEvent, type KeyboardEvent, useState } from "react";
import { Button } from "../../parts/Button";
import { Dialog } from "../../parts/overlay/Dialog";
import { keyText } from "../../state/page/chord";
import { Files } from "./Files";
import { AgentField, BaseField, BoxFields, EffortField, ModeField, ModelField } from "./fields";
import { Issues } from "./Issues";
import { RepoField } from "./RepoField";
import { Templates } from "./Templates";
import { useForm } from "./useForm";
import { type Starting, useStarting } from "./useStarting";
import "./new.css";

/** A task in words becomes a session; several lines become several. */
export function NewSession() {
  const form = useForm();
  const starting = useStarting(form);
  const [picking, setPicking] = useState(false);
  const { text, several, files, count, busy, ready } = starting;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void starting.start();
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void starting.start();
  };
  const paste = (event: ClipboardEvent) => {
    const pasted = [...event.clipboardData.files];
    if (pasted.length === 0) return;
    event.preventDefault();
    void files.add(pasted);
  };
  return (
    <Dialog title="New session">
      <form onSubmit={submit} onKeyDown={press} data-testid="new-session">
        <div className="body new-body">
          <textarea
            className="field"
            rows={6}
            aria-label="Task"
            placeholder={placeholder(starting)}
            value={text}
            data-first
            onChange={(event) => starting.setText(event.target.value)}
            onPaste={paste}
          />
          <div className="new-line">
            <label className="check">
              <input
                type="checkbox"
                disabled={starting.issues.length > 0}
                checked={several}
                onChange={(event) => starting.setSeveral(event.target.checked)}
              />{" "}
              One session per line
            </label>
            <Templates form={form} text={text} onText={starting.setText} />
          </div>
          <div className="new-line">
            <Files attaching={files} />
            <Button look="quiet" aria-expanded={picking} onClick={() => setPicking(!picking)}>
              From issues…
            </Button>
          </div>
          {picking && form.repo && (
            <Issues
              key={form.repo.path}
              repo={form.repo.path}
              picked={starting.issues}
              onPick={starting.setIssues}
            />
          )}
          <div className="new-where">
            <RepoField form={form} />
            <BaseField form={form} />
          </div>
          <div className="new-row">
            <AgentField form={form} />
            <ModelField form={form} />
            <ModeField form={form} />
            <EffortField form={form} />
          </div>
          <BoxFields form={form} />
        </div>
        <div className="actions">
          <span className="aside">{busy ? "Starting…" : form.hint}</span>
          <Button look="primary" type="submit" hint={keyText("$mod+Enter")} disabled={!ready}>
            Start{count > 1 && ` ${count}`}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function placeholder({ issues, several }: Starting): string {
  if (issues.length > 0) return "Words that go with each issue, if any";
  return several ? "One task per line, or a pasted list" : "What should be done, and why?";
}
