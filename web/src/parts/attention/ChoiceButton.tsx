import type { Choice } from "../../state/inbox/attention";
import { Kbd } from "../Kbd";

interface Props {
  readonly choice: Choice;
  readonly number: number;
  /** Null where choosing answers at once. */
  readonly pressed: boolean | null;
  readonly onChoose: () => void;
}

export function ChoiceButton({ choice, number, pressed, onChoose }: Props) {
  return (
    <button
      type="button"
      className="choice"
      aria-pressed={pressed ?? undefined}
      data-option={choice.id}
      onClick={onChoose}
    >
      {number > 0 ? <Kbd>{`${number}`}</Kbd> : <span />}
      <span>
        <span className="label">{choice.label}</span>
        {choice.description && <small>{choice.description}</small>}
      </span>
    </button>
  );
}
