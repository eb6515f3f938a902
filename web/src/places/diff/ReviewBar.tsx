import { type KeyboardEvent, useState } from "react";
import { giveVerdict, sendReview } from "../../api/review";
import type { ReviewView, SessionView } from "../../api/types.gen";
import { Button } from "../../parts/Button";
import { plural } from "../../parts/format";
import { Icon } from "../../parts/Icon";
import { type SessionDiff, treeSeen } from "../../state/diff/diffs";
import { loadReview, saveDraft, useReviews } from "../../state/diff/review";
import { putSession } from "../../state/fleet/fleet";
import { useKeys } from "../../state/page/keys";
import { attempt } from "../../state/page/notices";
import { AddToTrain } from "../train/AddToTrain";

interface Props {
  readonly session: SessionView;
  readonly diff: SessionDiff;
  readonly review: ReviewView | undefined;
  readonly onWhole: () => void;
}

/** How far the review is, and its two ends: to the agent, or approved. */
export function ReviewBar({ session, diff, review, onWhole }: Props) {
  const [sending, setSending] = useState(false);
  useKeys("diff", { "Shift+s": { label: "Send the comments", run: () => setSending(true) } });
  const viewed = diff.files.filter(({ file }) => file.viewed === "yes").length;
  const pending = review?.pending ?? 0;
  const approved = session.review === "approved";
  const judge = (verdict: SessionView["review"]) =>
    void attempt(async () => {
      const tree = verdict === "none" ? diff.tree : await treeSeen(session.id);
      putSession(await giveVerdict(session.id, verdict, tree));
    });
  return (
    <div className="review-bar" data-testid="review-bar">
      {sending && pending > 0 && (
        <SendPanel session={session.id} pending={pending} onDone={() => setSending(false)} />
      )}
      <div className="review-row">
        <Verdict review={session.review} onWithdraw={() => judge("none")} />
        <span className="progress" data-testid="progress">
          {viewed} of {diff.files.length + diff.more} viewed
        </span>
        <States review={review} />
        <span className="spring" />
        <Button look="quiet" onClick={onWhole} title="Comment on the change as a whole">
          <Icon name="comment" />
          <span className="wide">Comment</span>
        </Button>
        {pending > 0 && (
          <Button
            look="primary"
            data-testid="send"
            aria-expanded={sending}
            onClick={() => setSending(!sending)}
          >
            <Icon name="send" />
            Send {plural(pending, "comment")}
          </Button>
        )}
        {!approved && diff.files.length > 0 && (
          <Button
            data-testid="approve"
            // Only what was seen can be judged.
            disabled={diff.more > 0}
            onClick={() => judge("approved")}
          >
            <Icon name="check" />
            Approve
          </Button>
        )}
        {diff.files.length > 0 && <AddToTrain session={session} />}
      </div>
    </div>
  );
}

interface VerdictProps {
  readonly review: SessionView["review"];
  readonly onWithdraw: () => void;
}

function Verdict({ review, onWithdraw }: VerdictProps) {
  if (review === "none") return null;
  return (
    <span className={`verdict ${review}`} data-testid="verdict" data-verdict={review}>
      <Icon name={review === "approved" ? "check" : "comment"} />
      {review === "approved" ? "Approved" : "Commented"}
      <button type="button" className="link" onClick={onWithdraw}>
        withdraw
      </button>
    </span>
  );
}

function States({ review }: { readonly review: ReviewView | undefined }) {
  const names = ["open", "answered", "addressed"] as const;
  const counts = names.map((name) => {
    const count = review?.comments.filter(({ state }) => state === name).length ?? 0;
    return count > 0 ? `${count} ${name}` : "";
  });
  const text = counts.filter(Boolean).join(" · ");
  return text ? <span className="states">{text}</span> : null;
}

interface SendProps {
  readonly session: string;
  readonly pending: number;
  readonly onDone: () => void;
}

function SendPanel({ session, pending, onDone }: SendProps) {
  const [text, setText] = useState("");
  const [busy, setBusy] = useState(false);
  const send = async () => {
    setBusy(true);
    const typed = Object.values(useReviews.getState().typed);
    await Promise.all(typed.map(({ id }) => saveDraft(id)));
    const sent = await attempt(() => sendReview(session, text));
    setBusy(false);
    if (!sent) return;
    await loadReview(session);
    onDone();
  };
  const keys = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) void send();
    if (event.key === "Escape") onDone();
  };
  return (
    <form
      className="send-panel"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <textarea
        className="field"
        rows={2}
        // biome-ignore lint/a11y/noAutofocus: the person has just asked for this box
        autoFocus
        value={text}
        aria-label="Words before the comments"
        placeholder={`Words before the ${plural(pending, "comment")} (optional)`}
        onKeyDown={keys}
        onChange={(event) => setText(event.target.value)}
      />
      <div className="send-row">
        <span>One message; each comment is followed until it is addressed or answered.</span>
        <Button look="quiet" onClick={onDone}>
          Cancel
        </Button>
        <Button look="primary" type="submit" disabled={busy} data-testid="send-now">
          Send to agent
        </Button>
      </div>
    </form>
  );
}
