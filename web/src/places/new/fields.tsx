import type { BoxLevel, Mode, Network } from "../../api/types.gen";
import { LEVELS, NETWORKS } from "../../state/session/box";
import { EFFORTS, modesOf } from "../modes";
import type { Form } from "./useForm";

interface Props {
  readonly form: Form;
}

export function AgentField({ form }: Props) {
  return (
    <label>
      <span>Agent</span>
      <select
        className="field"
        value={form.chosen.agent}
        onChange={(event) => form.set({ agent: event.target.value })}
      >
        <option value="">default</option>
        {form.agents.map((agent) => (
          <option key={agent.name} value={agent.name} disabled={!agent.installed}>
            {agent.name}
            {agent.installed ? "" : " (not installed)"}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The agent's own models are offered; any other can be named. */
export function ModelField({ form }: Props) {
  const models = form.agent?.models ?? [];
  return (
    <label>
      <span>Model</span>
      <input
        className="field"
        list="new-models"
        value={form.chosen.model}
        placeholder="default"
        onChange={(event) => form.set({ model: event.target.value })}
      />
      <datalist id="new-models">
        {models.map((model) => (
          <option key={model} value={model} />
        ))}
      </datalist>
    </label>
  );
}

export function EffortField({ form }: Props) {
  return (
    <label>
      <span>Effort</span>
      <select
        className="field"
        value={form.chosen.effort}
        onChange={(event) => form.set({ effort: event.target.value })}
      >
        <option value="">default</option>
        {EFFORTS.map((effort) => (
          <option key={effort}>{effort}</option>
        ))}
      </select>
    </label>
  );
}

export function ModeField({ form }: Props) {
  return (
    <label>
      <span>Mode</span>
      <select
        className="field"
        value={form.chosen.mode}
        onChange={(event) => form.set({ mode: event.target.value as Mode | "" })}
      >
        <option value="">default</option>
        {modesOf(form.agent).map(({ mode, says }) => (
          <option key={mode} value={mode}>
            {mode}: {says}
          </option>
        ))}
      </select>
    </label>
  );
}

export function BaseField({ form }: Props) {
  return (
    <label>
      <span>Base</span>
      <input
        className="field"
        value={form.chosen.base}
        placeholder={form.repo?.default_base || "default branch"}
        onChange={(event) => form.set({ base: event.target.value })}
      />
    </label>
  );
}

/** What the session is confined by, for who wants it otherwise than configured. */
export function BoxFields({ form }: Props) {
  const { box, network } = form.chosen;
  return (
    <details className="new-more">
      <summary>
        Box: {[box, network && `network ${network}`].filter(Boolean).join(", ") || "as configured"}
      </summary>
      <div className="new-row">
        <label>
          <span>Box</span>
          <select
            className="field"
            value={box}
            onChange={(event) => form.set({ box: event.target.value as BoxLevel | "" })}
          >
            {LEVELS.map(({ id, label, says }) => (
              <option key={id} value={id}>
                {id ? `${label}: ${says}` : label}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>Network</span>
          <select
            className="field"
            value={network}
            disabled={box === "none"}
            onChange={(event) => form.set({ network: event.target.value as Network | "" })}
          >
            {NETWORKS.map(({ id, label, says }) => (
              <option key={id} value={id}>
                {id ? `${label}: ${says}` : label}
              </option>
            ))}
          </select>
        </label>
      </div>
    </details>
  );
}
