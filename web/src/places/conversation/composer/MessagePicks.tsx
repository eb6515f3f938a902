import type { OneMessage } from "../../../api/answers";
import type { SessionView } from "../../../api/types.gen";
import { useAgents } from "../../../state/agents";
import { EFFORTS } from "../../modes";

interface Props {
  readonly session: SessionView;
  readonly only: OneMessage;
  readonly onOnly: (only: OneMessage) => void;
}

/** Another model or effort for the next message alone. */
export function MessagePicks({ session, only, onOnly }: Props) {
  const agents = useAgents();
  const models = agents?.find(({ name }) => name === session.agent)?.models ?? [];
  return (
    <>
      {models.length > 0 && (
        <Pick
          label="Model of this message"
          usual="model"
          options={models.filter((model) => model !== session.model)}
          chosen={only.model}
          onChoose={(model) => onOnly(withOne(only, "model", model))}
        />
      )}
      {session.kind !== "terminal" && (
        <Pick
          label="Effort of this message"
          usual="effort"
          options={EFFORTS.filter((effort) => effort !== session.effort)}
          chosen={only.effort}
          onChoose={(effort) => onOnly(withOne(only, "effort", effort))}
        />
      )}
    </>
  );
}

function withOne(only: OneMessage, name: keyof OneMessage, value: string): OneMessage {
  const { [name]: _, ...rest } = only;
  return value === "" ? rest : { ...rest, [name]: value };
}

interface PickProps {
  readonly label: string;
  readonly usual: string;
  readonly options: readonly string[];
  readonly chosen: string | undefined;
  readonly onChoose: (value: string) => void;
}

function Pick({ label, usual, options, chosen = "", onChoose }: PickProps) {
  return (
    <select
      className="message-pick"
      aria-label={label}
      title={label}
      data-chosen={chosen !== ""}
      value={chosen}
      onChange={(event) => onChoose(event.target.value)}
    >
      <option value="">{usual}</option>
      {options.map((option) => (
        <option key={option}>{option}</option>
      ))}
    </select>
  );
}
