import { useEffect } from "react";
import { markRead } from "../../api/hub";
import type { SessionView } from "../../api/types.gen";
import { showDiff } from "../../state/diff/diffs";
import { loadSession, useFleet } from "../../state/fleet/fleet";
import { useHub } from "../../state/hub";
import { useKeys } from "../../state/page/keys";
import { conversationKnown } from "../../state/session/conversations";
import { noteVisit } from "../../state/session/seen";
import { follow, look } from "../../state/topics";
import { sessionActions } from "./actions";
import { Panes } from "./frame/Panes";
import { Header } from "./Header";
import "./session.css";

/** One session: its facts, and the panes of what was said, done and changed. */
export default function Session({ id = "" }: { readonly id?: string }) {
  const session = useFleet((fleet) => fleet.sessions[id]);
  const loaded = useFleet((fleet) => fleet.loaded);
  useFollowing(id);
  useActing(session);
  useReading(session);
  if (session === undefined) return <Missing loaded={loaded} />;
  return (
    <main className="session" data-testid="session" data-status={session.status}>
      <Header session={session} />
      <Panes session={session} />
    </main>
  );
}

/** Follows the session while it is shown. */
function useFollowing(id: string): void {
  const open = useHub((hub) => hub.connection === "open");
  useEffect(() => {
    if (open) showDiff(id);
  }, [id, open]);
  const unknown = useFleet(({ loaded, sessions }) => loaded && sessions[id] === undefined);
  useEffect(() => {
    if (unknown) loadSession(id).catch(() => undefined);
  }, [id, unknown]);
  useEffect(() => follow(`session/${id}`, () => conversationKnown(id)), [id]);
  useEffect(() => {
    noteVisit(id);
    look([id]);
    return () => look([]);
  }, [id]);
}

/** The worktree in the editor, its path on the clipboard, its work on the way home. */
function useActing(session: SessionView | undefined): void {
  const act = (id: string) => () =>
    session &&
    sessionActions(session)
      .find((action) => action.id === id)
      ?.run();
  useKeys("session", {
    o: { label: "Open in editor", run: act("open") },
    y: { label: "Copy path", run: act("copy-path") },
    "l c": { label: "Commit", run: act("commit") },
    "l u": { label: "Update from its base", run: act("update") },
    "l m": { label: "Merge", run: act("merge") },
    "l t": { label: "Add to train", run: act("train") },
    "l a": { label: "Land and archive", run: act("land") },
  });
}

/** What is on a visible screen counts as read. */
function useReading(session: SessionView | undefined): void {
  const { id, unread = false } = session ?? {};
  useEffect(() => {
    if (id === undefined || !unread) return;
    const read = () => {
      if (document.visibilityState === "visible") markRead(id).catch(() => undefined);
    };
    read();
    document.addEventListener("visibilitychange", read);
    return () => document.removeEventListener("visibilitychange", read);
  }, [id, unread]);
}

function Missing({ loaded }: { readonly loaded: boolean }) {
  return (
    <main className="empty" aria-busy={!loaded}>
      {loaded && (
        <>
          <h1>There is no such session here</h1>
          <p>It may have been removed. Choose another one from the list.</p>
        </>
      )}
    </main>
  );
}
