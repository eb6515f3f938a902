import { type KeyboardEvent, useState } from "react";
import type { Field, SettingValue } from "../../api/insight";
import { nameOf, textOf, typedValue } from "./fields";

const SWITCH = [
  ["true", "on"],
  ["false", "off"],
];

interface Props {
  readonly field: Field;
  readonly disabled: boolean;
  readonly onChange: (value: SettingValue) => void;
}

/** The control that fits a setting's kind. What is typed counts on Enter or on leaving. */
export function FieldControl({ field, disabled, onChange }: Props) {
  if (field.kind === "other") return <Elsewhere field={field} />;
  if (field.kind === "table")
    return <Table field={field} disabled={disabled} onChange={onChange} />;
  if (field.kind === "choice" || field.kind === "switch") {
    const choices = field.kind === "switch" ? SWITCH : field.choices.map((one) => [one, one]);
    return (
      <select
        className="field"
        aria-label={field.key}
        disabled={disabled}
        value={textOf(field.value)}
        onChange={(event) => onChange(typedValue(field, event.target.value) ?? null)}
      >
        {choices.map(([value, word]) => (
          <option key={value} value={value}>
            {word}
          </option>
        ))}
      </select>
    );
  }
  return <Typed field={field} disabled={disabled} onChange={onChange} />;
}

/** What no form can show is written in the file below. */
function Elsewhere({ field: { value, given } }: { readonly field: Field }) {
  return given ? <code>{JSON.stringify(value)}</code> : <small>in config.toml</small>;
}

/** A choice for each name; one that stands as usual is not kept. */
function Table({ field, disabled, onChange }: Props) {
  const held = (field.value ?? {}) as Readonly<Record<string, string>>;
  const choose = (name: string, choice: string) => {
    const { [name]: _, ...rest } = held;
    onChange(choice === "" ? rest : { ...rest, [name]: choice });
  };
  return (
    <ul className="setting-table" aria-label={field.key}>
      {field.names.map((name) => (
        <li key={name}>
          <label>
            {nameOf(name)}
            <select
              className="field"
              disabled={disabled}
              value={held[name] ?? ""}
              onChange={(event) => choose(name, event.target.value)}
            >
              <option value="">usual</option>
              {field.choices.map((choice) => (
                <option key={choice}>{choice}</option>
              ))}
            </select>
          </label>
        </li>
      ))}
    </ul>
  );
}

function Typed({ field, disabled, onChange }: Props) {
  const before = textOf(field.value);
  const [text, setText] = useState(before);
  const value = typedValue(field, text);
  const give = () => {
    if (text !== before && value !== undefined) onChange(value);
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === "Enter") give();
    if (event.key === "Escape") setText(before);
  };
  return (
    <input
      className="field"
      aria-label={field.key}
      aria-invalid={value === undefined}
      data-kind={field.kind}
      inputMode={field.kind === "integer" || field.kind === "number" ? "decimal" : "text"}
      placeholder={field.optional ? "none" : textOf(field.default)}
      disabled={disabled}
      value={text}
      onChange={(event) => setText(event.target.value)}
      onBlur={give}
      onKeyDown={press}
    />
  );
}
