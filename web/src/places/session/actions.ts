/** What can be done with a session in its present state; the header, the list and the palette agree. */

import { give, openInEditor, restore, resume, stop, take } from "../../api/hub";
import type { SessionView } from "../../api/types.gen";
import { putSession } from "../../state/fleet/fleet";
import { togglePin, useSidebar } from "../../state/fleet/sidebar";
import { copyText } from "../../state/page/clipboard";
import { wishLanding } from "../../state/page/landingWish";
import { attempt } from "../../state/page/notices";
import { type Cover, setCover } from "../../state/page/screen";
import { useTerminalWishes } from "../../state/terminals/wishes";
import { show } from "../terminals/acts";
import { openDrawer } from "../terminals/drawer";
import { board } from "../train/board";

export interface SessionAction {
  readonly id: string;
  readonly label: string;
  readonly run: () => void;
}

const RUNNING = ["working", "waiting", "queued"];
const TAKE = ["Take over…", "Show the agent's own screen"] as const;
const STOPPED = ["failed", "unreachable"];

export function sessionActions(session: SessionView): SessionAction[] {
  const { id, status } = session;
  const change = (operation: (id: string) => Promise<SessionView>) => () =>
    void attempt(async () => putSession(await operation(id)));
  if (status === "archived") return [{ id: "restore", label: "Restore", run: change(restore) }];
  const pinned = useSidebar.getState().pinned.includes(id);
  return [
    ...(RUNNING.includes(status) ? [{ id: "stop", label: "Stop", run: change(stop) }] : []),
    ...(STOPPED.includes(status) ? [{ id: "resume", label: "Resume", run: change(resume) }] : []),
    ...(session.taken ? [{ id: "give", label: "Give back", run: change(give) }] : []),
    {
      id: "open",
      label: "Open in editor",
      run: () => void attempt(() => openInEditor(id)),
    },
    { id: "terminal", label: "Terminals", run: () => openDrawer(session) },
    ...(session.kind === "claude"
      ? [{ id: "take", label: TAKE[session.taken ? 1 : 0], run: () => void takeOver(session) }]
      : []),
    { id: "copy-path", label: "Copy path", run: () => copyText(session.worktree, "Path") },
    { id: "copy-branch", label: "Copy branch", run: () => copyText(session.branch, "Branch") },
    { id: "pin", label: pinned ? "Unpin" : "Pin", run: () => togglePin(id) },
    { id: "box", label: "Box…", run: () => setCover({ name: "box", id }) },
    { id: "commit", label: "Commit…", run: () => wishLanding("commit") },
    { id: "update", label: "Update from its base…", run: () => wishLanding("update") },
    { id: "merge", label: "Merge…", run: () => setCover(landing(id, false)) },
    { id: "land", label: "Land and archive…", run: () => setCover(landing(id, true)) },
    { id: "train", label: "Add to train", run: () => void board([id]) },
    { id: "archive", label: "Archive…", run: () => setCover({ name: "archive", ids: [id] }) },
  ];
}

/** In its own program; a turn that runs is stopped for it. */
async function takeOver(session: SessionView): Promise<void> {
  await attempt(async () => {
    const { name } = await take(session.id);
    useTerminalWishes.setState({ open: true });
    show("drawer", session, name);
  });
}

const landing = (id: string, archive: boolean): Cover => ({
  name: "land",
  ids: [id],
  method: "merge",
  archive,
});
