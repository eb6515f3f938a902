import { useState } from "react";
import { Button } from "../../parts/Button";
import { forgetTemplate, saveTemplate, useTemplates } from "./templates";
import type { Form } from "./useForm";

interface Props {
  readonly form: Form;
  readonly text: string;
  readonly onText: (text: string) => void;
}

/** Tasks that come again: taken up, or kept under a name. */
export function Templates({ form, text, onText }: Props) {
  const named = useTemplates((templates) => templates.named);
  const [name, setName] = useState<string | null>(null);
  const [used, setUsed] = useState("");
  const use = (chosen: string) => {
    const template = named[chosen];
    if (template === undefined) return;
    setUsed(chosen);
    onText(template.text);
    form.set(template.chosen);
  };
  const save = () => {
    const { repo: _, ...chosen } = form.chosen;
    if (name?.trim()) saveTemplate(name.trim(), { text, chosen });
    setName(null);
  };
  if (name !== null) {
    return (
      <span className="template-name">
        <input
          className="field"
          aria-label="Name of the template"
          placeholder="Name of the template"
          value={name}
          // biome-ignore lint/a11y/noAutofocus: it appears because the person asked to name it
          autoFocus
          onChange={(event) => setName(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            event.preventDefault();
            save();
          }}
        />
        <Button onClick={save}>Keep</Button>
      </span>
    );
  }
  return (
    <span className="templates">
      {Object.keys(named).length > 0 && (
        <select
          className="snug"
          aria-label="Template"
          value={used}
          onChange={(event) => use(event.target.value)}
        >
          <option value="">Template…</option>
          {Object.keys(named).map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      )}
      {used !== "" && (
        <Button
          look="quiet"
          onClick={() => {
            forgetTemplate(used);
            setUsed("");
          }}
        >
          Forget it
        </Button>
      )}
      <Button look="quiet" disabled={text.trim() === ""} onClick={() => setName(used)}>
        Keep as template
      </Button>
    </span>
  );
}
