import { useEffect, useState } from "react";
import { useLocation } from "wouter";
import { restore } from "../../api/hub";
import type { SessionView } from "../../api/types.gen";
import { Ago } from "../../parts/Ago";
import { Button } from "../../parts/Button";
import { baseName, money, plural } from "../../parts/format";
import { Lines } from "../../parts/Lines";
import { PlaceFrame } from "../../parts/PlaceFrame";
import { loadArchive, useArchive } from "../../state/fleet/archive";
import { putSession, useFleet } from "../../state/fleet/fleet";
import { attempt } from "../../state/page/notices";
import { setCover } from "../../state/page/screen";
import { sessionPath } from "../routes";
import "./archive.css";

/** What was put away: looked through, brought back, or removed for good. */
export default function ArchivePlace() {
  const sessions = useArchive((state) => state.sessions);
  const [query, setQuery] = useState("");
  // The list follows whatever is archived or restored meanwhile, here or elsewhere.
  const living = useFleet((fleet) => archivedOf(fleet.sessions));
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked for again when it changed
  useEffect(() => {
    void attempt(loadArchive);
  }, [living]);
  const shown = sessions?.filter((session) => fits(session, query)) ?? [];
  return (
    <PlaceFrame
      title="Archive"
      says="An archived session keeps everything, ignored files too. It can be restored where it was until its time in the trash is over."
      tools={
        <input
          className="field sheet-filter"
          type="search"
          aria-label="Filter the archive"
          placeholder="Filter"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
      }
    >
      {sessions?.length === 0 && (
        <p className="hint">Nothing is archived. A finished session is archived from its menu.</p>
      )}
      {sessions !== null && sessions.length > 0 && shown.length === 0 && (
        <p className="hint">None of {plural(sessions.length, "session")} fits.</p>
      )}
      <ul className="archive-list">
        {shown.map((session) => (
          <Row key={session.id} session={session} />
        ))}
      </ul>
    </PlaceFrame>
  );
}

function Row({ session }: { readonly session: SessionView }) {
  const [, navigate] = useLocation();
  const [busy, setBusy] = useState(false);
  const bring = async () => {
    setBusy(true);
    const worked = await attempt(async () => putSession(await restore(session.id)));
    setBusy(false);
    void loadArchive();
    if (worked) navigate(sessionPath(session.id));
  };
  return (
    <li data-testid="archived" data-session={session.id}>
      <div className="about">
        <b>{session.title}</b>
        <small>
          {baseName(session.repo)} · {session.branch} · {session.agent} · archived{" "}
          <Ago at={session.updated_at} /> ago
          {session.cost_usd > 0 && ` · ${money(session.cost_usd)}`}
        </small>
      </div>
      <Lines added={session.added} removed={session.removed} />
      <Button disabled={busy} onClick={() => void bring()}>
        {busy ? "Restoring…" : "Restore"}
      </Button>
      <Button
        look="quiet"
        onClick={() => setCover({ name: "remove", id: session.id, title: session.title })}
      >
        Delete…
      </Button>
    </li>
  );
}

function fits(session: SessionView, query: string): boolean {
  const text = `${session.title} ${session.repo} ${session.branch} ${session.agent}`.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function archivedOf(sessions: Readonly<Record<string, SessionView>>): string {
  return Object.values(sessions)
    .filter(({ status }) => status === "archived")
    .map(({ id }) => id)
    .join();
}
