import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, useEffect, useRef } from "react";
import type { DiffFile } from "../../api/answers";
import { baseName, plural } from "../../parts/format";
import { Lines } from "../../parts/Lines";
import type { FileDiff } from "../../state/diffs";

const LETTERS: Readonly<Record<string, string>> = {
  added: "A",
  modified: "M",
  deleted: "D",
  renamed: "R",
  typechange: "T",
};

const ROW_HEIGHT = matchMedia("(max-width: 760px)").matches ? 32 : 22;

interface Props {
  readonly files: readonly FileDiff[];
  readonly current: string;
  readonly onChoose: (path: string) => void;
}

export function FileList({ files, current, onChoose }: Props) {
  const added = files.reduce((sum, { file }) => sum + file.added, 0);
  const removed = files.reduce((sum, { file }) => sum + file.removed, 0);
  const scroller = useRef<HTMLDivElement>(null);
  const list = useVirtualizer({
    count: files.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 10,
  });
  const place = files.findIndex(({ file }) => file.path === current);
  useEffect(() => {
    if (place >= 0) list.scrollToIndex(place);
  }, [place, list]);
  return (
    <nav className="files" aria-label="Changed files">
      <div className="total">
        <span>{plural(files.length, "file")}</span>
        <Lines added={added} removed={removed} />
      </div>
      <div className="files-scroll" ref={scroller}>
        <ul style={{ height: list.getTotalSize() }}>
          {list.getVirtualItems().map(({ index, start }) => {
            const file = files[index]?.file;
            return file === undefined ? null : (
              <li key={file.path} style={{ transform: `translateY(${start}px)` }}>
                <FileButton file={file} current={file.path === current} onChoose={onChoose} />
              </li>
            );
          })}
        </ul>
      </div>
    </nav>
  );
}

interface ButtonProps {
  readonly file: DiffFile;
  readonly current: boolean;
  readonly onChoose: (path: string) => void;
}

const FileButton = memo(function FileButton({ file, current, onChoose }: ButtonProps) {
  return (
    <button
      type="button"
      title={file.path}
      aria-current={current ? "true" : undefined}
      data-testid="diff-file"
      data-path={file.path}
      onClick={() => onChoose(file.path)}
    >
      <span className="letter" title={file.status}>
        {LETTERS[file.status] ?? "?"}
      </span>
      <Name path={file.path} />
      <Lines added={file.added} removed={file.removed} />
    </button>
  );
});

/** Cut at its beginning where it is too long: the end of a path tells most. */
function Name({ path }: { readonly path: string }) {
  const name = baseName(path);
  return (
    <span className="name">
      <bdi>
        <span className="folder">{path.slice(0, path.length - name.length)}</span>
        {name}
      </bdi>
    </span>
  );
}
