import { money } from "../../parts/format";
import { useFleet } from "../../state/fleet/fleet";
import { useHub } from "../../state/hub";
import { keyText } from "../../state/page/chord";
import { runKey } from "../../state/page/keys";
import { useTerminalWishes } from "../../state/terminals/wishes";

const DRAWER = "Ctrl+Backquote";
const WORDS = { connecting: "connecting", open: "connected", away: "away" } as const;

export function Footer() {
  const { connection, status } = useHub();
  const open = useTerminalWishes((wishes) => wishes.open);
  const sessions = useFleet((fleet) => fleet.sessions);
  const all = Object.values(sessions);
  const working = all.filter((session) => session.status === "working").length;
  const queued = all.filter((session) => session.status === "queued").length;
  const cost = all.reduce((sum, session) => sum + session.cost_usd, 0);
  const limit = status?.limits?.working;
  return (
    <footer className="foot">
      <span>
        {limit === undefined ? `${working} working` : `${working} of ${limit} places in use`}
      </span>
      {queued > 0 && <span>{queued} queued</span>}
      <button
        type="button"
        className="foot-terminals"
        aria-pressed={open}
        title={`Terminals (${keyText(DRAWER)})`}
        onClick={() => runKey(`page:${DRAWER}`)}
      >
        Terminals
      </button>
      <span className="spring" />
      {cost > 0 && <span>these sessions {money(cost)}</span>}
      <span data-testid="connection" data-connection={connection}>
        <span className={`dot ${connection}`} aria-hidden="true" /> hub {status?.version}{" "}
        {WORDS[connection]}
      </span>
    </footer>
  );
}
