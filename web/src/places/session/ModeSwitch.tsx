import { setMode } from "../../api/hub";
import type { Mode, SessionView } from "../../api/types.gen";
import { putSession } from "../../state/fleet";
import { attempt } from "../../state/notices";
import { MODES } from "../modes";

/** What the agent may do without asking. */
export function ModeSwitch({ session }: { readonly session: SessionView }) {
  const choose = (mode: Mode) => attempt(async () => putSession(await setMode(session.id, mode)));
  return (
    <label className="chip pick">
      mode
      <select
        value={session.mode}
        disabled={session.status === "archived"}
        onChange={(event) => void choose(event.target.value as Mode)}
      >
        {MODES.map(({ mode, says }) => (
          <option key={mode} value={mode} title={says}>
            {mode}
          </option>
        ))}
      </select>
    </label>
  );
}
