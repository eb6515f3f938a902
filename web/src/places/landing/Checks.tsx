import type { Check } from "../../api/landing";
import type { ReviewDraft } from "../../api/types.gen";
import { DraftActs } from "./DraftActs";

const MARKS: Record<Check["state"], { readonly mark: string; readonly tone: string }> = {
  failed: { mark: "✕", tone: "bad" },
  running: { mark: "◷", tone: "work" },
  passed: { mark: "✓", tone: "ok" },
  skipped: { mark: "–", tone: "faint" },
};
const ORDER = Object.keys(MARKS);

interface Props {
  readonly session: string;
  readonly checks: readonly Check[];
  readonly drafts: readonly ReviewDraft[];
  readonly onDone: () => Promise<void>;
}

/** The forge's checks, the failed ones first, each with the log of the steps that failed. */
export function Checks({ session, checks, drafts, onDone }: Props) {
  if (checks.length === 0) return null;
  const sorted = [...checks].sort((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state));
  const draftOf = (check: Check) =>
    drafts.find(({ kind, author }) => kind === "check" && author === check.name);
  return (
    <>
      <h3>Checks</h3>
      <ul className="checks" aria-label="Checks">
        {sorted.map((check) => (
          <One key={check.name} check={check} draft={draftOf(check)} {...{ session, onDone }} />
        ))}
      </ul>
    </>
  );
}

type OneProps = Pick<Props, "session" | "onDone"> & {
  readonly check: Check;
  readonly draft: ReviewDraft | undefined;
};

function One({ session, check, draft, onDone }: OneProps) {
  const { mark, tone } = MARKS[check.state];
  return (
    <li>
      <span className={`tone-${tone}`} aria-hidden="true">
        {mark}
      </span>
      <span className="name">
        {check.name} <span className="quiet">{check.state}</span>
      </span>
      {check.state === "failed" && draft && (
        <DraftActs session={session} draft={draft} onDone={onDone} />
      )}
      {check.steps.map((step) => (
        <details key={step.name} open={check.steps.length === 1}>
          <summary>{step.name}</summary>
          <pre className="said">{step.log}</pre>
        </details>
      ))}
    </li>
  );
}
