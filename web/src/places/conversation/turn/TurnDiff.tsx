import { useEffect, useState } from "react";
import { fetchTurnDiff } from "../../../api/hub";
import { languageOf } from "../../../parts/code/highlight";
import { plural } from "../../../parts/format";
import { Lines } from "../../../parts/Lines";
import { PatchLines } from "../../../parts/patch/PatchLines";
import { type FileDiff, fileDiffs } from "../../../state/diff/diffFiles";
import { visibleBidi } from "../../../state/session/plain";

interface Props {
  readonly session: string;
  readonly turn: number;
}

const MOST_FILES = 50;
const MOST_LINES = 300;

/** What the files looked like after the turn against before it. */
export default function TurnDiff({ session, turn }: Props) {
  const [files, setFiles] = useState<readonly FileDiff[] | null>(null);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    fetchTurnDiff(session, turn).then(
      (diff) => setFiles(fileDiffs(diff)),
      (error: Error) => setProblem(error.message),
    );
  }, [session, turn]);
  if (problem) return <p className="note tone-bad">{problem}</p>;
  if (files === null) return <p className="note">Looking…</p>;
  if (files.length === 0) return <p className="note">No file changed in this turn.</p>;
  return (
    <div className="turn-diff" data-testid="turn-diff">
      {files.slice(0, MOST_FILES).map((file) => (
        <TurnFile key={file.file.path} file={file} />
      ))}
      {files.length > MOST_FILES && (
        <p className="note">and {plural(files.length - MOST_FILES, "file")} more</p>
      )}
    </div>
  );
}

function TurnFile({ file: { file, patch } }: { readonly file: FileDiff }) {
  const lines = patch.hunks.flatMap((hunk) => hunk.lines);
  return (
    <section aria-label={visibleBidi(file.path)}>
      <header>
        <b>{visibleBidi(file.path)}</b>
        <span>{file.status}</span>
        <Lines added={file.added} removed={file.removed} />
      </header>
      {file.binary && <p className="note">Binary</p>}
      {lines.length > 0 && (
        <PatchLines lines={lines.slice(0, MOST_LINES)} lang={languageOf(file.path)} numbered />
      )}
      {lines.length > MOST_LINES && (
        <p className="note">and {plural(lines.length - MOST_LINES, "line")} more</p>
      )}
    </section>
  );
}
