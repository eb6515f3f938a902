import { useEffect, useMemo, useState } from "react";
import { type FileList, fetchFiles } from "../../api/insight";
import type { SessionView } from "../../api/types.gen";
import { plural } from "../../parts/format";
import { VirtualRows } from "../../parts/VirtualRows";
import { visibleBidi } from "../../state/session/plain";
import { bestPaths } from "../conversation/composer/completion";
import { FileContent } from "./FileContent";
import { type Node, treeOf } from "./tree";
import "./files.css";

const MOST_FOUND = 200;

/** The worktree's files: a tree, and the one that was chosen. */
export default function FilesPane({ session }: { readonly session: SessionView }) {
  const [list, setList] = useState<FileList | null>(null);
  const [problem, setProblem] = useState("");
  const [query, setQuery] = useState("");
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [chosen, setChosen] = useState("");
  // Asked for again when a turn ends or the number of changed files does.
  // biome-ignore lint/correctness/useExhaustiveDependencies: these tell that it changed
  useEffect(() => {
    fetchFiles(session.id).then(
      (found) => {
        setList(found);
        setProblem("");
      },
      (error: Error) => setProblem(error.message),
    );
  }, [session.id, session.turn, session.status, session.files_changed]);
  const rows = useMemo(() => rowsOf(list?.paths ?? [], query, open), [list, query, open]);
  const press = (node: Node) => {
    if (!node.folder) setChosen(node.path);
    else setOpen(toggled(open, node.path));
  };
  return (
    <section className="files-pane" aria-label="Files" data-chosen={chosen !== ""}>
      <div className="files-tree">
        <input
          className="field"
          type="search"
          aria-label="Find a file"
          placeholder="Find a file"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
        {problem && <p className="note tone-bad">{problem}</p>}
        {list !== null && rows.length === 0 && <p className="note">No file fits.</p>}
        <VirtualRows
          label="Tree of files"
          rows={rows}
          height={24}
          render={(node) => (
            <TreeRow node={node} chosen={node.path === chosen} onPress={() => press(node)} />
          )}
        />
        {list?.more && <p className="note">Only the first {plural(list.paths.length, "file")}.</p>}
      </div>
      {chosen === "" ? (
        <div className="empty">
          <h2>No file chosen</h2>
          <p>Ignored files, such as an .env, are not shown.</p>
        </div>
      ) : (
        <FileContent session={session} path={chosen} onClose={() => setChosen("")} />
      )}
    </section>
  );
}

interface RowProps {
  readonly node: Node;
  readonly chosen: boolean;
  readonly onPress: () => void;
}

function TreeRow({ node, chosen, onPress }: RowProps) {
  return (
    <button
      type="button"
      className="tree-row"
      style={{ paddingLeft: 8 + node.depth * 14 }}
      aria-expanded={node.folder ? node.open : undefined}
      aria-current={chosen || undefined}
      title={visibleBidi(node.path)}
      data-testid="tree-row"
      data-path={node.path}
      onClick={onPress}
    >
      <span className={node.folder ? "arrow" : "no-arrow"} aria-hidden="true" />
      {visibleBidi(node.name)}
    </button>
  );
}

function rowsOf(paths: readonly string[], query: string, open: ReadonlySet<string>): Node[] {
  if (query.trim() === "") return treeOf(paths, open);
  return bestPaths(paths, query.trim(), MOST_FOUND).map((path) => ({
    path,
    name: path,
    depth: 0,
    folder: false,
    open: false,
  }));
}

function toggled(open: ReadonlySet<string>, path: string): ReadonlySet<string> {
  const next = new Set(open);
  if (!next.delete(path)) next.add(path);
  return next;
}
