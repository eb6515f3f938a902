import { type RefObject, useState } from "react";
import type { Attention, Option } from "../../api/types.gen";
import type { Bindings } from "../../state/page/keys";
import { Button } from "../Button";
import type { Answering } from "./useAnswering";
import { useCardKeys } from "./useCardKeys";
import { Words } from "./Words";

interface Props {
  readonly item: Attention;
  readonly answering: Answering;
  readonly active: boolean;
  readonly card: RefObject<HTMLElement | null>;
}

/** The option that says no and may carry words to the agent. */
const WORDED: Readonly<Record<string, string>> = { revise: "Revise…", deny: "Deny, and say why…" };

/** The options of a plan or a permission: the first with A, each with its number, words with R. */
export function Options({ item, answering, active, card }: Props) {
  const [writing, setWriting] = useState(false);
  const worded = item.options.find((option) => option.id in WORDED);
  const direct = item.options.filter((option) => option.id !== "revise");
  const open = () => setWriting(true);
  useCardKeys(card, active && !answering.busy, keysOf(direct, answering, worded && open));
  return (
    <>
      <div className="answers wrapping">
        {direct.map((option, place) => (
          <Button
            key={option.id}
            look={place === 0 ? "primary" : "plain"}
            hint={place === 0 ? "A" : `${place + 1}`}
            disabled={answering.busy}
            data-option={option.id}
            onClick={() => answering.give([option.id])}
          >
            {option.label}
          </Button>
        ))}
        {worded && !writing && (
          <Button hint="R" disabled={answering.busy} data-option={`${worded.id}…`} onClick={open}>
            {WORDED[worded.id]}
          </Button>
        )}
      </div>
      {worded && writing && (
        <Words
          name={item.id}
          label={worded.id === "revise" ? "What to change" : "Why not, and what instead"}
          action={worded.label}
          busy={answering.busy}
          onSend={(text) => answering.give([worded.id], text)}
          onClose={() => setWriting(false)}
        />
      )}
    </>
  );
}

function keysOf(options: readonly Option[], answering: Answering, open?: () => void): Bindings {
  const give = (option: Option) => ({
    label: `Answer: ${option.label}`,
    run: () => answering.give([option.id]),
  });
  const numbered = options.slice(0, 9).map((option, place) => [`${place + 1}`, give(option)]);
  const first = options[0];
  return {
    ...Object.fromEntries(numbered),
    ...(first && { a: give(first) }),
    ...(open && { r: { label: "Answer in words", run: open } }),
  };
}
