import { type KeyboardEvent, useId, useState } from "react";
import "./chips.css";

interface Props {
  readonly label: string;
  readonly placeholder: string;
  /** Those that are known; any other can be named. */
  readonly offered: readonly string[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

/** Several names: picked from what is known, or written; each can be left out again. */
export function Chips({ label, placeholder, offered, chosen, onChange }: Props) {
  const [text, setText] = useState("");
  const id = useId();
  const add = (written: string) => {
    const names = written.split(",").map((name) => name.trim());
    onChange([...new Set([...chosen, ...names.filter(Boolean)])]);
    setText("");
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === "Backspace" && text === "") onChange(chosen.slice(0, -1));
    if (event.key !== "Enter" || text.trim() === "") return;
    event.preventDefault();
    add(text);
  };
  const write = (next: string) => (offered.includes(next) ? add(next) : setText(next));
  return (
    <div className="chips-field">
      <span aria-hidden="true">{label}</span>
      <div className="chips field">
        {chosen.map((name) => (
          <button
            type="button"
            className="chip"
            key={name}
            aria-label={`Leave ${name} out`}
            onClick={() => onChange(chosen.filter((one) => one !== name))}
          >
            {name} ×
          </button>
        ))}
        <input
          aria-label={label}
          placeholder={chosen.length === 0 ? placeholder : ""}
          list={id}
          value={text}
          onChange={(event) => write(event.target.value)}
          onKeyDown={press}
          onBlur={() => text.trim() !== "" && add(text)}
        />
        <datalist id={id}>
          {offered
            .filter((name) => !chosen.includes(name))
            .map((name) => (
              <option key={name} value={name} />
            ))}
        </datalist>
      </div>
    </div>
  );
}
