/** Where a link of a terminal leads: the web, the changes, or the editor. */

import { useLocation } from "wouter";
import { openInEditor } from "../../api/hub";
import { fetchFiles } from "../../api/insight";
import type { SessionView } from "../../api/types.gen";
import { useDiffs } from "../../state/diff/diffs";
import { attempt } from "../../state/page/notices";
import { type FileLink, type Found, meantPath } from "../../state/terminals/links";
import { sessionPath } from "../routes";
import { showChanged } from "../session/showFile";

export function useLinks(session: SessionView): (link: Found) => void {
  const [path] = useLocation();
  const here = sessionPath(session.id);
  return (link) => {
    if (link.kind === "web") openWeb(link.url);
    else
      void attempt(async () => {
        const meant = await fileOf(session, link);
        // What changed is known of the session on the screen.
        if (path === here && isChanged(session, meant)) showChanged(meant);
        else await openInEditor(session.id, meant, link.line);
      });
  };
}

/** What a terminal shows may be anybody's: no other scheme is opened. */
function openWeb(url: string): void {
  if (/^https?:\/\//i.test(url)) window.open(url, "_blank", "noopener,noreferrer");
}

async function fileOf(session: SessionView, { path }: FileLink): Promise<string> {
  const changed = (useDiffs.getState().open[session.id]?.files ?? []).map(({ file }) => file.path);
  const meant = meantPath(path, session.worktree, changed);
  if (changed.includes(meant)) return meant;
  return meantPath(path, session.worktree, (await fetchFiles(session.id)).paths);
}

const isChanged = (session: SessionView, path: string): boolean =>
  (useDiffs.getState().open[session.id]?.files ?? []).some(({ file }) => file.path === path);
