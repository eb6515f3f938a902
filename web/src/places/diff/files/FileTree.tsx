import {
  memo,
  type RefObject,
  startTransition,
  type UIEvent,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { Icon } from "../../../parts/Icon";
import { Lines } from "../../../parts/Lines";
import { Plain } from "../rows/Plain";
import { nodesOf, type TreeFile, type TreeNode } from "./tree";

const ROW_HEIGHT = matchMedia("(max-width: 760px)").matches ? 36 : 24;
const OVERSCAN = 8;
const LETTERS: Readonly<Record<string, string>> = {
  added: "A",
  modified: "M",
  deleted: "D",
  renamed: "R",
  typechange: "T",
};

interface Props {
  readonly files: readonly TreeFile[];
  readonly current: string;
  readonly onChoose: (path: string) => void;
}

/** The changed files by folder, narrowed by what is typed. */
export const FileTree = memo(function FileTree({ files, current, onChoose }: Props) {
  const [filter, setFilter] = useState("");
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const nodes = useMemo(() => nodesOf(files, filter, closed), [files, filter, closed]);
  const scroller = useRef<HTMLDivElement>(null);
  const place = nodes.findIndex((node) => node.path === current && node.file !== null);
  const { from, to, onScroll } = useInSight(scroller, place);
  const toggle = (path: string) =>
    setClosed((before) => {
      const next = new Set(before);
      if (!next.delete(path)) next.add(path);
      return next;
    });
  return (
    <nav className="diff-files" aria-label="Changed files">
      <input
        className="field filter"
        type="search"
        placeholder="Filter files"
        aria-label="Filter files"
        value={filter}
        onChange={(event) => setFilter(event.target.value)}
      />
      <div className="files-scroll" ref={scroller} onScroll={onScroll}>
        <ul style={{ height: nodes.length * ROW_HEIGHT }}>
          {nodes.slice(from, to).map((node, n) => (
            <li key={node.path} style={{ top: (from + n) * ROW_HEIGHT }}>
              <NodeButton
                node={node}
                current={node.file !== null && node.path === current}
                onClick={node.file === null ? toggle : onChoose}
              />
            </li>
          ))}
        </ul>
        {nodes.length === 0 && <p className="no-match">No file matches.</p>}
      </div>
    </nav>
  );
});

/** Which rows to draw; all are as tall, so nothing is measured but the box itself. */
function useInSight(scroller: RefObject<HTMLDivElement | null>, place: number) {
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(0);
  useLayoutEffect(() => {
    const box = scroller.current;
    if (box === null) return undefined;
    const observer = new ResizeObserver(([entry]) => setHeight(entry?.contentRect.height ?? 0));
    observer.observe(box);
    return () => observer.disconnect();
  }, [scroller]);
  useEffect(() => {
    const box = scroller.current;
    if (box === null || place < 0 || height === 0) return;
    const at = place * ROW_HEIGHT;
    if (at < box.scrollTop) box.scrollTop = at;
    else if (at + ROW_HEIGHT > box.scrollTop + height) box.scrollTop = at + ROW_HEIGHT - height;
  }, [scroller, place, height]);
  return {
    from: Math.max(0, Math.floor(top / ROW_HEIGHT) - OVERSCAN),
    to: Math.ceil((top + height) / ROW_HEIGHT) + OVERSCAN,
    onScroll: ({ currentTarget }: UIEvent) => {
      const { scrollTop } = currentTarget;
      startTransition(() => setTop(scrollTop));
    },
  };
}

interface NodeProps {
  readonly node: TreeNode;
  readonly current: boolean;
  readonly onClick: (path: string) => void;
}

const NodeButton = memo(function NodeButton({ node, current, onClick }: NodeProps) {
  const { file, name, path, depth, closed } = node;
  const style = { paddingLeft: 6 + depth * 12 };
  if (file === null) {
    return (
      <button
        type="button"
        className="folder-row"
        style={style}
        aria-expanded={!closed}
        onClick={() => onClick(path)}
      >
        <Icon name="chevron" />
        <span className="name">
          <Plain text={name} />
        </span>
      </button>
    );
  }
  return (
    <button
      type="button"
      style={style}
      title={path}
      className={file.viewed === "yes" ? "seen" : ""}
      aria-current={current ? "true" : undefined}
      data-testid="diff-file"
      data-path={path}
      data-viewed={file.viewed}
      onClick={() => onClick(path)}
    >
      <span className={`letter ${file.status}`} title={file.status}>
        {file.viewed === "yes" ? <Icon name="check" /> : (LETTERS[file.status] ?? "?")}
      </span>
      <span className="name">
        <Plain text={name} />
      </span>
      {file.viewed === "changed" && <span className="dot" title="Changed since you viewed it" />}
      {file.comments > 0 && (
        <span className="count" title={`${file.comments} comments`}>
          {file.comments}
        </span>
      )}
      <Lines added={file.added} removed={file.removed} />
    </button>
  );
});
