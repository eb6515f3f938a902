import type { ArchivePlan } from "../../api/answers";
import { bytes } from "../../parts/format";

/** What an archive keeps, what it would lose, and what stands in its way. */
export function Plan({ plan }: { readonly plan: ArchivePlan }) {
  return (
    <div className="archive-plan">
      {plan.blocked_by.map((reason) => (
        <p className="tone-bad" key={reason}>
          Not now: {reason}
        </p>
      ))}
      <Things title="Kept" things={plan.kept.map((kept) => ({ ...kept, aside: kept.where }))} />
      <Things title="Lost" things={plan.lost.map((lost) => ({ ...lost, aside: "" }))} />
      {plan.safe && plan.lost.length === 0 && <p>Nothing is lost.</p>}
    </div>
  );
}

interface Thing {
  readonly what: string;
  readonly bytes: number;
  readonly aside: string;
}

function Things({ title, things }: { readonly title: string; readonly things: readonly Thing[] }) {
  if (things.length === 0) return null;
  return (
    <section>
      <h3>{title}</h3>
      <ul>
        {things.map((thing) => (
          <li key={`${thing.what} ${thing.aside}`}>
            <span>{thing.what}</span>
            {thing.aside && <small>{thing.aside}</small>}
            {thing.bytes > 0 && <small>{bytes(thing.bytes)}</small>}
          </li>
        ))}
      </ul>
    </section>
  );
}
