import { useState } from "react";
import type { Thread } from "../../api/landing";
import type { ReviewDraft } from "../../api/types.gen";
import { DraftActs } from "./DraftActs";

interface Props {
  readonly session: string;
  readonly threads: readonly Thread[];
  readonly drafts: readonly ReviewDraft[];
  readonly onDone: () => Promise<void>;
}

/** What reviewers wrote and nobody has seen to yet: threads, whole reviews, the conversation. */
export function Threads({ threads, drafts, ...rest }: Props) {
  const open = drafts.filter(
    ({ kind, ended }) => kind !== "check" && ended !== "resolved" && ended !== "dismissed",
  );
  if (open.length === 0) return null;
  return (
    <>
      <h3>
        Remarks <span className="quiet">{open.length}</span>
      </h3>
      <ul className="threads" aria-label="Remarks">
        {open.map((draft) => (
          <One
            key={draft.id}
            draft={draft}
            thread={threads.find(({ id }) => id === draft.thread)}
            {...rest}
          />
        ))}
      </ul>
    </>
  );
}

type OneProps = Pick<Props, "session" | "onDone"> & {
  readonly draft: ReviewDraft;
  readonly thread: Thread | undefined;
};

const WHOLE: Readonly<Record<ReviewDraft["kind"], string>> = {
  thread: "The whole change",
  review: "Review",
  comment: "Conversation",
  check: "Check",
};

function One({ session, draft, thread, onDone }: OneProps) {
  const [text, setText] = useState("");
  const place = `${draft.path || WHOLE[draft.kind]}${draft.line ? `:${draft.line}` : ""}`;
  return (
    <li data-bot={draft.bot || undefined}>
      <a className="path" href={draft.url} target="_blank" rel="noreferrer">
        {place}
      </a>
      {(thread?.comments ?? [{ author: draft.author ?? "", body: draft.text }]).map((said, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a thread only grows
        <p key={at}>
          <b>{said.author}</b> {said.body}
        </p>
      ))}
      <input
        className="field"
        aria-label={`Words about ${place}`}
        placeholder="Your words, for the agent or as a reply"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <DraftActs session={session} draft={draft} text={text} onDone={onDone} />
    </li>
  );
}
