import type { Finding } from "../../api/landing";

interface Props {
  readonly findings: readonly Finding[];
  readonly accepted: readonly string[];
  readonly onChange: (accepted: readonly string[]) => void;
}

const NAMES: Record<Finding["kind"], string> = {
  secret: "Secret",
  env_file: "Environment file",
  large_file: "Large file",
  workflow: "Workflow file",
};

/** What a push would send that a person must have seen; each needs a yes of its own. */
export function Findings({ findings, accepted, onChange }: Props) {
  if (findings.length === 0) return null;
  const toggle = (id: string) =>
    onChange(accepted.includes(id) ? accepted.filter((one) => one !== id) : [...accepted, id]);
  return (
    <fieldset className="findings">
      <legend>Look at this before it is pushed</legend>
      {findings.map((found) => (
        <label key={found.id}>
          <input
            type="checkbox"
            checked={accepted.includes(found.id)}
            onChange={() => toggle(found.id)}
          />
          <span>
            <b>{NAMES[found.kind]}</b> {found.path}
            {found.line > 0 && `:${found.line}`} <small>{found.detail}</small>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
