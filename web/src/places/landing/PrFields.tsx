import type { ReactNode } from "react";
import type { PrPlan } from "../../api/landing";
import { Chips } from "../../parts/Chips";

/** What a person made of the proposal; what is left out is as proposed. */
export interface Proposed {
  readonly title?: string;
  readonly body?: string;
  readonly base?: string;
  readonly template?: string;
  readonly draft?: boolean;
  readonly reviewers?: readonly string[];
  readonly labels?: readonly string[];
  readonly check?: boolean;
}

interface Props {
  readonly plan: PrPlan;
  readonly own: Proposed;
  readonly onChange: (own: Proposed) => void;
}

/** Everything that can be said about a pull request before it is opened. */
export function PrFields({ plan, own, onChange }: Props) {
  const checks = plan.checks.join(", ");
  return (
    <>
      <input
        className="field"
        aria-label="Title"
        value={own.title ?? plan.title}
        onChange={(event) => onChange({ title: event.target.value })}
      />
      <textarea
        className="field"
        aria-label="Description"
        rows={9}
        value={own.body ?? plan.body}
        onChange={(event) => onChange({ body: event.target.value })}
      />
      <div className="pr-row">
        <Choice
          label="Into"
          value={own.base ?? plan.base}
          options={plan.bases.length > 0 ? plan.bases : [plan.base]}
          onChange={(base) => onChange({ base })}
        />
        {plan.templates.length > 0 && (
          <Choice
            label="Template"
            value={own.template ?? plan.template}
            options={["", ...plan.templates]}
            onChange={(template) => onChange({ template })}
          />
        )}
      </div>
      <div className="pr-row">
        <Chips
          label="Reviewers"
          placeholder="Whose eyes it needs"
          offered={plan.reviewers}
          chosen={own.reviewers ?? []}
          onChange={(reviewers) => onChange({ reviewers })}
        />
        <Chips
          label="Labels"
          placeholder="None"
          offered={plan.labels}
          chosen={own.labels ?? []}
          onChange={(labels) => onChange({ labels })}
        />
      </div>
      <div className="acts">
        <Box checked={own.draft ?? false} onChange={(draft) => onChange({ draft })}>
          As a draft
        </Box>
        <Box
          checked={own.check ?? false}
          disabled={checks === ""}
          onChange={(check) => onChange({ check })}
        >
          Check first: {checks ? <code>{checks}</code> : "no checks are configured"}
        </Box>
      </div>
    </>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly string[];
  readonly onChange: (value: string) => void;
}

function Choice({ label, value, options, onChange }: ChoiceProps) {
  return (
    <label>
      <span>{label}</span>
      <select
        className="field"
        aria-label={label}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      >
        {options.map((one) => (
          <option key={one} value={one}>
            {one || "none"}
          </option>
        ))}
      </select>
    </label>
  );
}

interface BoxProps {
  readonly checked: boolean;
  readonly disabled?: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly children: ReactNode;
}

function Box({ checked, disabled = false, onChange, children }: BoxProps) {
  return (
    <label className="as-draft">
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span>{children}</span>
    </label>
  );
}
