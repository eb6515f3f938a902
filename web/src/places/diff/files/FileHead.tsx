import { memo } from "react";
import { baseName } from "../../../parts/format";
import { Icon } from "../../../parts/Icon";
import { Lines } from "../../../parts/Lines";
import type { FileDiff } from "../../../state/diff/diffFiles";
import { useActions } from "../actions";
import { Plain } from "../rows/Plain";
import { FileTools } from "./FileTools";

interface Props {
  readonly diff: FileDiff;
  readonly folded: boolean;
  readonly showsSince: boolean;
}

export const FileHead = memo(function FileHead({ diff, folded, showsSince }: Props) {
  const actions = useActions();
  const { path, old_path, status, added, removed, viewed = "no" } = diff.file;
  return (
    <div className="file-head" data-testid="file-head" data-path={path}>
      <button
        type="button"
        className="fold"
        aria-expanded={!folded}
        aria-label={`${folded ? "Show" : "Fold"} ${path}`}
        onClick={() => actions.fold(path)}
      >
        <Icon name="chevron" />
      </button>
      <span className="file-name" title={path}>
        {old_path && old_path !== path && (
          <>
            <Plain text={old_path} />
            <span className="became">→</span>
          </>
        )}
        <span className="folder">
          <Plain text={path.slice(0, path.length - baseName(path).length)} />
        </span>
        <b>
          <Plain text={baseName(path)} />
        </b>
      </span>
      {status !== "modified" && <span className="tag">{status}</span>}
      <ModeTag diff={diff} />
      <Lines added={added} removed={removed} />
      <span className="file-tools">
        {viewed === "changed" && (
          <button
            type="button"
            className="link"
            aria-pressed={showsSince}
            onClick={() => actions.since(path)}
          >
            {showsSince ? "Show all changes" : "Changed since viewed"}
          </button>
        )}
        <FileTools diff={diff} />
        {actions.isNow && (
          <label className="viewed">
            <input
              type="checkbox"
              checked={viewed === "yes"}
              onChange={() => actions.view(diff)}
              data-testid="viewed"
            />
            Viewed
          </label>
        )}
      </span>
    </div>
  );
});

const MODES: Readonly<Record<string, string>> = {
  "100644": "file",
  "100755": "executable",
  "120000": "link",
  "160000": "submodule",
};

function ModeTag({ diff }: { readonly diff: FileDiff }) {
  const { old_mode, new_mode } = diff.file;
  if (old_mode === new_mode || !new_mode) return null;
  const name = (mode: string) => MODES[mode] ?? mode;
  if (!old_mode)
    return new_mode === "100644" ? null : <span className="tag">{name(new_mode)}</span>;
  return (
    <span className="tag">
      {name(old_mode)} → {name(new_mode)}
    </span>
  );
}
