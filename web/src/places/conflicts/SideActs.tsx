import { useState } from "react";
import type { Conflict } from "../../api/conflicts";
import { answer, say } from "../../api/hub";
import { update } from "../../api/landing";
import type { Attention, SessionView } from "../../api/types.gen";
import { Words } from "../../parts/attention/Words";
import { Button } from "../../parts/Button";
import { loadConflicts } from "../../state/fleet/conflicts";
import { attempt, notify } from "../../state/page/notices";
import { setCover } from "../../state/page/screen";
import { draft, setDraft } from "../../state/session/drafts";

interface Props {
  readonly session: SessionView;
  readonly conflict: Conflict;
  readonly other: (id: string) => string;
}

/** What can be done about a conflict on one of its sides. */
export function SideActs({ session, conflict, other }: Props) {
  const { id, base } = session;
  const [telling, setTelling] = useState(false);
  const [busy, setBusy] = useState(false);
  const item = itemOf(session, conflict);
  const first = conflict.first === id;
  const begin = () => {
    if (draft(nameOf(conflict, id)) === "") setDraft(nameOf(conflict, id), prepared());
    setTelling(true);
  };
  const prepared = () =>
    item
      ? `${item.detail.text ?? ""}`
      : words(conflict, other(conflict.a === id ? conflict.b : conflict.a));
  const tell = async (text: string) => {
    setBusy(true);
    const told = await attempt(() => (item ? answer(item, ["tell"], text) : say(id, text, false)));
    setBusy(false);
    if (told) setTelling(false);
    if (told) notify(`${session.title} was told.`);
  };
  const bring = async () => {
    setBusy(true);
    await attempt(() => update(id));
    await loadConflicts(true).catch(() => undefined);
    setBusy(false);
  };
  return (
    <>
      <div className="acts small-buttons">
        {!conflict.base && (
          <Button
            look={first ? "primary" : "plain"}
            disabled={busy}
            onClick={() => setCover({ name: "land", ids: [id], method: "merge", archive: false })}
          >
            Land this first
          </Button>
        )}
        <Button disabled={busy || telling} onClick={begin}>
          Tell its agent…
        </Button>
        <Button
          look={conflict.base ? "primary" : "plain"}
          disabled={busy}
          title={`Bring ${base} in; conflicts go to its agent`}
          onClick={() => void bring()}
        >
          Update from {base}
        </Button>
      </div>
      {telling && (
        <Words
          name={nameOf(conflict, id)}
          label="What its agent is told"
          action="Tell"
          busy={busy}
          least={4}
          onSend={(text) => void tell(text)}
          onClose={() => setTelling(false)}
        />
      )}
    </>
  );
}

const nameOf = (conflict: Conflict, id: string) => `tell ${id} ${conflict.a} ${conflict.b}`;

/** The item that the radar raised about this very pair, while it is open. */
function itemOf(session: SessionView, conflict: Conflict): Attention | undefined {
  const pair = [conflict.a, ...(conflict.base ? [] : [conflict.b])].sort().join(" ");
  return session.attention.find(({ kind, detail }) => {
    if (kind !== "conflict" || !Array.isArray(detail.sessions)) return false;
    return [...detail.sessions].sort().join(" ") === pair;
  });
}

function words(conflict: Conflict, other: string): string {
  const paths = conflict.paths.filter(({ kind }) => kind === "conflict").map(({ path }) => path);
  return (
    `${other} changes the same places as you in ${paths.join(", ")}, so the two would not merge. ` +
    "Leave these places alone where your task allows it, and say where it does not."
  );
}
