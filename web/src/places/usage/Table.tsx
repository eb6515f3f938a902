import { Link } from "wouter";
import type { UsageCell } from "../../api/insight";
import { baseName, count, money, span } from "../../parts/format";
import { Segments } from "../../parts/Segments";
import { GROUPS, type Group, type Row, rowsBy } from "../../state/usage";
import { sessionPath } from "../routes";

interface Props {
  readonly cells: readonly UsageCell[];
  readonly group: Group;
  readonly onGroup: (group: Group) => void;
}

const NAMES = { repo: "Repository", agent: "Agent", model: "Model", session: "Session" } as const;

/** What it went to, the dearest first. */
export function Table({ cells, group, onGroup }: Props) {
  const rows = rowsBy(cells, group);
  const most = Math.max(...rows.map((row) => row.cost_usd), 1e-9);
  return (
    <section className="usage-table" aria-label="By what it went to">
      <Segments
        label="By"
        options={GROUPS.map((id) => ({ id, label: NAMES[id] }))}
        chosen={group}
        onChoose={onGroup}
      />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <section className="scroll" tabIndex={0} aria-label="Table">
        <table data-testid="usage-table">
          <thead>
            <tr>
              <th scope="col">{NAMES[group]}</th>
              <th scope="col">Cost</th>
              <th scope="col">Turns</th>
              <th scope="col">Tokens in</th>
              <th scope="col">Out</th>
              <th scope="col">Working</th>
              <th scope="col">Waiting</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.key}>
                <th scope="row" title={row.key}>
                  <Name row={row} group={group} />
                  <svg
                    className="share"
                    viewBox="0 0 100 2"
                    preserveAspectRatio="none"
                    aria-hidden="true"
                  >
                    <rect width={(row.cost_usd / most) * 100} height="2" />
                  </svg>
                </th>
                <td>{money(row.cost_usd)}</td>
                <td>{row.turns}</td>
                <td>{count(row.tokens_in)}</td>
                <td>{count(row.tokens_out)}</td>
                <td>{span(row.working_seconds)}</td>
                <td>{span(row.waiting_seconds)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </section>
  );
}

function Name({ row, group }: { readonly row: Row; readonly group: Group }) {
  if (group === "session") return <Link href={sessionPath(row.key)}>{row.label}</Link>;
  return group === "repo" ? baseName(row.label) : row.label;
}
