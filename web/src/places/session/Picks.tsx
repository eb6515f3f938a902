import { setEffort, setMode, setModel } from "../../api/hub";
import type { Mode, SessionView } from "../../api/types.gen";
import { useAgents } from "../../state/agents";
import { putSession } from "../../state/fleet/fleet";
import { attempt } from "../../state/page/notices";
import { modeSays } from "../../state/session/box";
import { EFFORTS, modesOf } from "../modes";

interface PickProps {
  readonly label: string;
  readonly value: string;
  readonly title?: string | undefined;
  readonly options: readonly (readonly [value: string, says: string])[];
  readonly disabled: boolean;
  readonly onPick: (value: string) => Promise<SessionView>;
}

/** A fact of the session that can be changed where it stands. */
function Pick({ label, value, title, options, disabled, onPick }: PickProps) {
  const choose = (next: string) => attempt(async () => putSession(await onPick(next)));
  const known = options.some(([option]) => option === value);
  return (
    <label className="chip pick" title={title}>
      {label}
      <select
        value={value}
        disabled={disabled}
        onChange={(event) => void choose(event.target.value)}
      >
        {!known && <option value={value}>{value || "default"}</option>}
        {options.map(([option, says]) => (
          <option key={option} value={option} title={says}>
            {option}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Mode, model and effort: what the agent may do, who thinks, and how hard. */
export function Picks({ session }: { readonly session: SessionView }) {
  const agents = useAgents();
  const agent = agents?.find(({ name }) => name === session.agent);
  const models = agent?.models ?? [];
  const modes = modesOf(agent).map(
    ({ mode, says }) => [mode, modeSays(mode, says, session.box_detail)] as const,
  );
  const { id, effort } = session;
  const disabled = session.status === "archived";
  return (
    <>
      <Pick
        label="mode"
        value={session.mode}
        title={modes.find(([mode]) => mode === session.mode)?.[1]}
        options={modes}
        disabled={disabled}
        onPick={(mode) => setMode(id, mode as Mode)}
      />
      <Pick
        label={session.agent}
        value={session.model}
        options={models.map((model) => [model, model])}
        disabled={disabled || models.length === 0}
        onPick={(model) => setModel(id, model)}
      />
      <Pick
        label="effort"
        value={effort}
        options={EFFORTS.map((one) => [one, one])}
        disabled={disabled}
        onPick={(next) => setEffort(id, next)}
      />
    </>
  );
}
