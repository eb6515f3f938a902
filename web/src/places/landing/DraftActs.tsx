import { actOnDraft, type DraftAction } from "../../api/landing";
import type { ReviewDraft } from "../../api/types.gen";
import { Button } from "../../parts/Button";
import { attempt } from "../../state/page/notices";

interface Props {
  readonly session: string;
  readonly draft: ReviewDraft;
  readonly text?: string;
  readonly onDone: () => Promise<void>;
}

const ENDS: Record<string, string> = { sent: "sent to the agent", replied: "replied" };

/** What a person can do about a remark or a failed check; nothing goes anywhere by itself. */
export function DraftActs({ session, draft, text = "", onDone }: Props) {
  const act = (action: DraftAction) => () =>
    void attempt(async () => {
      await actOnDraft(session, draft.id, action, text);
      await onDone();
    });
  const ended = draft.ended ? ENDS[draft.ended] : undefined;
  return (
    <div className="acts">
      {ended && <span className="quiet">{ended}</span>}
      <Button onClick={act("send")}>
        {draft.ended === "sent" ? "Send again" : "Send to agent"}
      </Button>
      {draft.kind !== "check" && (
        <Button disabled={text.trim() === ""} onClick={act("reply")}>
          Reply
        </Button>
      )}
      {draft.kind === "thread" && <Button onClick={act("resolve")}>Resolve</Button>}
      {draft.ended !== "dismissed" && (
        <Button look="quiet" onClick={act("dismiss")}>
          Dismiss
        </Button>
      )}
    </div>
  );
}
