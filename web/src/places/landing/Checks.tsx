import type { Check } from "../../api/landing";

/** The forge's checks; a failed one opens to the log of the steps that failed. */
export function Checks({ checks }: { readonly checks: readonly Check[] }) {
  if (checks.length === 0) return null;
  return (
    <ul className="checks" aria-label="Checks">
      {checks.map((check) => (
        <li key={check.name}>
          <span className={`chip checks-${check.state}`}>{check.state}</span> {check.name}
          {check.steps.map((step) => (
            <details key={step.name}>
              <summary>{step.name}</summary>
              <pre className="said">{step.log}</pre>
            </details>
          ))}
        </li>
      ))}
    </ul>
  );
}
