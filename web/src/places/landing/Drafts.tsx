import { useState } from "react";
import { actOnDraft, type DraftAction } from "../../api/landing";
import type { ReviewDraft } from "../../api/types.gen";
import { Button } from "../../parts/Button";
import { attempt } from "../../state/notices";

interface Props {
  readonly session: string;
  readonly drafts: readonly ReviewDraft[];
  readonly onDone: () => Promise<void>;
}

/** Remarks and failed checks from the forge, until someone has seen to them. */
export function Drafts({ session, drafts, onDone }: Props) {
  const open = drafts.filter(({ ended }) => ended !== "resolved" && ended !== "dismissed");
  if (open.length === 0) return null;
  return (
    <ul className="drafts" aria-label="Remarks">
      {open.map((draft) => (
        <Draft key={draft.id} session={session} draft={draft} onDone={onDone} />
      ))}
    </ul>
  );
}

type DraftProps = Omit<Props, "drafts"> & { readonly draft: ReviewDraft };

function Draft({ session, draft, onDone }: DraftProps) {
  const [text, setText] = useState("");
  const act = (action: DraftAction) => () =>
    void attempt(async () => {
      await actOnDraft(session, draft.id, action, text);
      await onDone();
    });
  const place = draft.path ? `${draft.path}${draft.line ? `:${draft.line}` : ""}` : draft.author;
  return (
    <li>
      <b>{place}</b> {draft.ended && <span className="chip">{draft.ended}</span>}
      <pre className="said">{draft.text}</pre>
      <input
        aria-label={`Words about ${place ?? "it"}`}
        placeholder="Your words, for the agent or as a reply"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <div className="row">
        <Button look="primary" onClick={act("send")}>
          Send to agent
        </Button>
        {draft.kind === "thread" && (
          <>
            <Button disabled={text.trim() === ""} onClick={act("reply")}>
              Reply
            </Button>
            <Button onClick={act("resolve")}>Resolve</Button>
          </>
        )}
        <Button look="quiet" onClick={act("dismiss")}>
          Dismiss
        </Button>
      </div>
    </li>
  );
}
