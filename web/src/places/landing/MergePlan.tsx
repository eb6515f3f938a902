import type { MergeMethod, MergeView } from "../../api/landing";
import { plural } from "../../parts/format";

const METHODS: Readonly<Record<MergeMethod, string>> = {
  merge: "a merge commit",
  squash: "one commit",
  rebase: "each commit on top of it",
};
const MOST = 8;

/** What a merge would do: what comes along, how, what is run first, and which checkout moves. */
export function MergePlan({ plan }: { readonly plan: MergeView }) {
  const { commits, into, method, checks, checkout } = plan;
  const rest = commits.length - MOST;
  return (
    <div className="merge-plan" data-testid="merge-plan">
      <p>
        <b>{plural(commits.length, "commit")}</b> into <b className="branch">{into}</b>, as{" "}
        {METHODS[method]}
      </p>
      <ol className="commits">
        {commits.slice(0, MOST).map((subject, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: commits of one plan, in their order
          <li key={at}>{subject}</li>
        ))}
        {rest > 0 && <li className="quiet">and {rest} more</li>}
      </ol>
      {plan.forwarded && plan.base && (
        <p className="tone-wait">
          {into} is brought to {plan.base.tracking} first: {plural(plan.base.behind, "commit")}
        </p>
      )}
      <dl>
        <dt>Checks</dt>
        <dd>
          {checks.length === 0 ? (
            <span className="tone-wait">none configured: it lands untested</span>
          ) : (
            checks.map((check) => <code key={check}>{check}</code>)
          )}
        </dd>
        <dt>Checkout</dt>
        <dd>
          {checkout === "" ? (
            `${into} is checked out nowhere`
          ) : (
            <>
              <code>{checkout}</code> comes along
            </>
          )}
        </dd>
      </dl>
    </div>
  );
}
