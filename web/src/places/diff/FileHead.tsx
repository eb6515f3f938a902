import { Lines } from "../../parts/Lines";
import type { FileRow } from "./rows";

interface Props {
  readonly row: FileRow;
  readonly onFold: (path: string) => void;
}

export function FileHead({ row, onFold }: Props) {
  const { path, old_path, status, added, removed } = row.diff.file;
  return (
    <button
      type="button"
      className="file-head"
      aria-expanded={!row.folded}
      onClick={() => onFold(path)}
    >
      <span className={`fold ${row.folded ? "" : "open"}`} aria-hidden="true" />
      <b>{old_path && old_path !== path ? `${old_path} → ${path}` : path}</b>
      <span className="status">{status}</span>
      <Lines added={added} removed={removed} />
    </button>
  );
}
