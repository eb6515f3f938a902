import { openInEditor } from "../api/hub";
import { copyText } from "../state/page/clipboard";
import { attempt } from "../state/page/notices";
import "./button.css";

interface Props {
  readonly session: string;
  readonly worktree: string;
  /** Inside the worktree. */
  readonly path: string;
}

/** What can be done with a file wherever it is named. */
export function FileActions({ session, worktree, path }: Props) {
  return (
    <span className="file-actions">
      <button
        type="button"
        className="more"
        onClick={() => void attempt(() => openInEditor(session, path))}
      >
        Open in editor
      </button>
      <button
        type="button"
        className="more"
        onClick={() => copyText(`${worktree}/${path}`, "Path")}
      >
        Copy path
      </button>
    </span>
  );
}
