import { type FormEvent, useState } from "react";
import { setBudget } from "../../api/hub";
import type { SessionView } from "../../api/types.gen";
import { Button } from "../../parts/Button";
import { money } from "../../parts/format";
import { Popover } from "../../parts/overlay/Popover";
import { putSession } from "../../state/fleet/fleet";
import { attempt } from "../../state/page/notices";
import "./budget.css";

/** What it cost, of how much: pressed, the budget can be set and raised. */
export function Budget({ session }: { readonly session: SessionView }) {
  const { budget, tokens, cost_usd, cost_estimated, status } = session;
  const usd = budget?.usd ?? null;
  const minutes = budget?.minutes ?? null;
  const label = (
    <>
      {cost_estimated && "about "}
      {cost_usd > 0 || usd !== null ? <b>{money(cost_usd)}</b> : "budget"}
      {usd !== null && ` of ${money(usd)}`}
      {minutes !== null && ` · ${minutes} min at most`}
    </>
  );
  const title = `${tokens.in} tokens in, ${tokens.out} out`;
  if (status === "archived")
    return (
      <span className="chip" title={title}>
        {label}
      </span>
    );
  return (
    <Popover
      role="dialog"
      className="chip budget"
      name="Budget"
      title={`${title}. Click to set the budget`}
      label={label}
    >
      {(close) => <Form key={`${usd} ${minutes}`} session={session} close={close} />}
    </Popover>
  );
}

interface FormProps {
  readonly session: SessionView;
  readonly close: () => void;
}

function Form({ session, close }: FormProps) {
  const [usd, setUsd] = useState(`${session.budget?.usd ?? ""}`);
  const [minutes, setMinutes] = useState(`${session.budget?.minutes ?? ""}`);
  const save = async (dollars: number | null) => {
    await attempt(async () => {
      const set = await setBudget(session.id, { usd: dollars, minutes: sum(minutes) });
      close();
      putSession(set);
    });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void save(sum(usd));
  };
  const given = session.budget?.usd;
  return (
    <form className="budget-form" onSubmit={submit}>
      <Amount label="US dollars" value={usd} onChange={setUsd} first />
      <Amount label="Minutes of work" value={minutes} onChange={setMinutes} />
      <p>
        Used up, the agent is held and you are asked; nothing is killed. Left empty, the configured
        budget holds.
      </p>
      <div className="budget-keys">
        {given != null && (
          <Button onClick={() => void save(given * 2)}>Raise to {money(given * 2)}</Button>
        )}
        <Button type="submit" look="primary">
          Set
        </Button>
      </div>
    </form>
  );
}

interface AmountProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly first?: boolean;
}

function Amount({ label, value, onChange, first }: AmountProps) {
  return (
    <label>
      {label}
      <input
        type="number"
        inputMode="decimal"
        min="0.01"
        step="any"
        placeholder="default"
        value={value}
        data-first={first || undefined}
        onChange={(event) => onChange(event.target.value)}
      />
    </label>
  );
}

const sum = (text: string) => (text.trim() ? Number(text) : null);
