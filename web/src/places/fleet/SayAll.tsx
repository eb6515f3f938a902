import { type KeyboardEvent, useState } from "react";
import { say } from "../../api/hub";
import { Button } from "../../parts/Button";
import { plural } from "../../parts/format";
import { Dialog } from "../../parts/overlay/Dialog";
import { choose } from "../../state/fleet/sidebar";
import { attempt } from "../../state/page/notices";
import { uncover } from "../../state/page/screen";
import { draft, setDraft } from "../../state/session/drafts";

const DRAFT = "say-all";

/** The same words to several agents. Those that could not be told stay chosen. */
export function SayAll({ ids }: { readonly ids: readonly string[] }) {
  const [text, setText] = useState(() => draft(DRAFT));
  const [busy, setBusy] = useState(false);
  const change = (next: string) => {
    setText(next);
    setDraft(DRAFT, next);
  };
  const send = async () => {
    const words = text.trim();
    if (words === "" || busy) return;
    setBusy(true);
    const told = await Promise.all(ids.map((id) => attempt(() => say(id, words, false))));
    setBusy(false);
    choose(ids.filter((_, place) => !told[place]));
    if (!told.every(Boolean)) return;
    change("");
    uncover();
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void send();
  };
  return (
    <Dialog title={`Say to ${plural(ids.length, "session")}`}>
      <div className="body">
        <textarea
          className="field"
          rows={5}
          aria-label="Message to all chosen"
          placeholder="Steers a running turn, starts one where the agent is idle"
          value={text}
          data-first
          onChange={(event) => change(event.target.value)}
          onKeyDown={press}
        />
      </div>
      <div className="actions">
        <Button onClick={uncover}>Cancel</Button>
        <Button
          look="primary"
          hint="Ctrl ⏎"
          disabled={busy || text.trim() === ""}
          onClick={() => void send()}
        >
          Send
        </Button>
      </div>
    </Dialog>
  );
}
