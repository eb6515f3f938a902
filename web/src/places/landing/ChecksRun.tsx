import { useEffect, useRef } from "react";
import { checkStates, type Merging } from "../../state/session/merging";

const MARKS = {
  passed: { mark: "✓", tone: "ok" },
  running: { mark: "◷", tone: "work" },
  failed: { mark: "✕", tone: "bad" },
  waits: { mark: "·", tone: "faint" },
} as const;

/** The repository's own checks as they run, with what they say. */
export function ChecksRun({ merging }: { readonly merging: Merging }) {
  const said = useRef<HTMLPreElement>(null);
  const { output } = merging;
  // biome-ignore lint/correctness/useExhaustiveDependencies: its end stays in sight as it grows
  useEffect(() => {
    if (said.current) said.current.scrollTop = said.current.scrollHeight;
  }, [output]);
  if (merging.checks.length === 0) return null;
  return (
    <>
      <ul className="checks" aria-label="Checks before it lands">
        {checkStates(merging).map(({ name, state }) => (
          <li key={name} data-state={state}>
            <span className={`tone-${MARKS[state].tone}`} aria-hidden="true">
              {MARKS[state].mark}
            </span>
            <span className="name">
              <code>{name}</code> <span className="quiet">{state}</span>
            </span>
          </li>
        ))}
      </ul>
      {output && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
        <pre className="said" ref={said} tabIndex={0}>
          {output}
        </pre>
      )}
    </>
  );
}
