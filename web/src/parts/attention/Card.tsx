import { memo, useRef } from "react";
import type { Attention } from "../../api/types.gen";
import { itemWord, ownSummary, waitsFor } from "../../state/inbox/attention";
import { Ago } from "../Ago";
import { Choices } from "./Choices";
import { Detail } from "./Detail";
import { Options } from "./Options";
import { useAnswering } from "./useAnswering";
import "./card.css";

interface Props {
  readonly item: Attention;
  /** Whether keys go to this card. */
  readonly active: boolean;
  readonly worktree: string;
}

/** Something that waits for a person, with all it takes to decide, and the answers. */
export const Card = memo(function Card({ item, active, worktree }: Props) {
  const ref = useRef<HTMLElement>(null);
  const answering = useAnswering(item);
  const Answers = item.kind === "question" ? Choices : Options;
  return (
    <section
      ref={ref}
      className="card"
      aria-label={waitsFor(item)}
      aria-busy={answering.busy}
      data-testid="attention"
      data-kind={item.kind}
      data-item={item.id}
      data-active={active}
    >
      <header>
        <strong>{itemWord(item)}</strong>
        {item.kind !== "question" && <span className="summary">{ownSummary(item)}</span>}
        <Ago at={item.raised_at} prefix="" />
      </header>
      <Detail item={item} worktree={worktree} />
      <Answers item={item} answering={answering} active={active} card={ref} />
    </section>
  );
});
