import { useEffect, useMemo, useState } from "react";
import { type FileView, fetchFile } from "../../api/insight";
import type { SessionView } from "../../api/types.gen";
import { languageOf, useHighlighter, wholeLines } from "../../parts/code/highlight";
import { FileActions } from "../../parts/FileActions";
import { bytes } from "../../parts/format";
import { VirtualRows } from "../../parts/VirtualRows";
import { usePaced } from "../../state/page/paced";
import { visibleBidi } from "../../state/session/plain";

interface Props {
  readonly session: SessionView;
  readonly path: string;
  readonly onClose: () => void;
}

/** One file as it is now. */
export function FileContent({ session, path, onClose }: Props) {
  const [file, setFile] = useState<FileView | null>(null);
  const [problem, setProblem] = useState("");
  const moved = usePaced(session.updated_at);
  // biome-ignore lint/correctness/useExhaustiveDependencies: an event may have changed it
  useEffect(() => {
    fetchFile(session.id, path).then(
      (found) => {
        setFile(found);
        setProblem("");
      },
      (error: Error) => setProblem(error.message),
    );
  }, [session.id, path, moved]);
  return (
    <div className="file-content" data-testid="file-content">
      <header>
        <button
          type="button"
          className="back-to-tree"
          aria-label="Back to the tree"
          onClick={onClose}
        >
          ‹
        </button>
        <b>{visibleBidi(path)}</b>
        {file && <small>{bytes(file.bytes)}</small>}
        <FileActions session={session.id} worktree={session.worktree} path={path} />
      </header>
      {problem && <p className="note tone-bad">{problem}</p>}
      {file?.path === path && <Content file={file} />}
    </div>
  );
}

function Content({ file }: { readonly file: FileView }) {
  switch (file.kind) {
    case "image":
      return (
        <div className="picture">
          <img src={`data:${file.media_type};base64,${file.data}`} alt={file.path} />
        </div>
      );
    case "link":
      return <p className="note">A link to {visibleBidi(file.text)}, which is not followed.</p>;
    case "binary":
      return <p className="note">Binary, {bytes(file.bytes)}.</p>;
    case "text":
      return <TextLines file={file} />;
  }
}

function TextLines({ file }: { readonly file: FileView }) {
  const coloured = useHighlighter();
  // biome-ignore lint/correctness/useExhaustiveDependencies: colours come later
  const lines = useMemo(
    () => wholeLines(file.text.replace(/\n$/, ""), languageOf(file.path)),
    [file, coloured],
  );
  return (
    <>
      <VirtualRows
        label="Content"
        className="text-lines"
        rows={lines}
        height={19}
        render={(line, place) => (
          <div className="text-line">
            <i aria-hidden="true">{place + 1}</i>
            <span>
              {line.map(({ text, look }, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a piece is known by its place in the line
                <span key={at} className={look || undefined}>
                  {text}
                </span>
              ))}
            </span>
          </div>
        )}
      />
      {file.cut && <p className="note">Only the beginning of {bytes(file.bytes)} is shown.</p>}
    </>
  );
}
