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
      {[...new Set(plan.kept.map((kept) => kept.where))].map((where) => (
        <Things
          key={where}
          title="Kept"
          where={where}
          things={plan.kept.filter((kept) => kept.where === where)}
        />
      ))}
      <Things title="Lost" where="" things={plan.lost} />
      {plan.safe && plan.lost.length === 0 && <p>Nothing is lost.</p>}
    </div>
  );
}

interface Thing {
  readonly what: string;
  readonly bytes: number;
}

interface ThingsProps {
  readonly title: string;
  readonly where: string;
  readonly things: readonly Thing[];
}

function Things({ title, where, things }: ThingsProps) {
  if (things.length === 0) return null;
  return (
    <section>
      <h3>
        {title} {where && <small>in {where}</small>}
      </h3>
      <ul>
        {things.map((thing) => (
          <li key={thing.what}>
            <span>{thing.what}</span>
            {thing.bytes > 0 && <small>{bytes(thing.bytes)}</small>}
          </li>
        ))}
      </ul>
    </section>
  );
}
