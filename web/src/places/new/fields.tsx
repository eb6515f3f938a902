import type { Mode } from "../../api/types.gen";
import { MODES } from "../modes";
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
        {MODES.map(({ mode, says }) => (
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
