import { useEffect, useState } from "react";
import { fetchContents } from "../../../api/review";
import type { Contents, Side } from "../../../api/types.gen";
import { Button } from "../../../parts/Button";
import { bytes, plural } from "../../../parts/format";
import type { FileDiff } from "../../../state/diff/diffFiles";
import type { PatchLine } from "../../../state/diff/patch";
import { useActions } from "../actions";
import type { Note } from "./rows";

/** What stands in place of lines: why none are shown, and how to see more. */
export function NoteRow({ diff, note }: { readonly diff: FileDiff; readonly note: Note }) {
  const { force } = useActions();
  const { path, added, removed, status } = diff.file;
  const show = (label: string) => <Button onClick={() => force(path)}>{label}</Button>;
  switch (note) {
    case "image":
      return <Images diff={diff} />;
    case "binary":
      return <p className="diff-note">Binary file, {status}.</p>;
    case "generated":
      return <p className="diff-note">Generated file, folded. {show("Show it")}</p>;
    case "large":
      return (
        <p className="diff-note">
          Large change{added + removed > 0 && ` of ${plural(added + removed, "line")}`}, shown when
          you ask for it. {show("Load it")}
        </p>
      );
    case "lfs":
      return <p className="diff-note">Git LFS object{pointerSizes(diff)}.</p>;
    case "mode":
      return <p className="diff-note">Only the file's mode changed.</p>;
    case "same":
      return (
        <p className="diff-note">
          {status === "renamed" ? "Renamed without changes." : "No lines to show."}
        </p>
      );
  }
}

function pointerSizes({ patch }: FileDiff): string {
  const lines = patch.hunks.flatMap((hunk) => hunk.lines);
  const size = (kinds: readonly PatchLine["kind"][]) => {
    const line = lines.find(({ kind, text }) => kinds.includes(kind) && /^size \d+$/.test(text));
    return line === undefined ? "" : bytes(Number(line.text.slice(5)));
  };
  const [before, after] = [size(["removed", "same"]), size(["added", "same"])];
  if (before && after) return `, ${before} → ${after}`;
  return before || after ? `, ${before || after}` : "";
}

function Images({ diff }: { readonly diff: FileDiff }) {
  const { path, old_path, status, old_blob = "", new_blob = "" } = diff.file;
  return (
    <div className="images">
      {status !== "added" && <Picture path={old_path ?? path} side="old" blob={old_blob} />}
      {status !== "deleted" && <Picture path={path} side="new" blob={new_blob} />}
    </div>
  );
}

interface PictureProps {
  readonly path: string;
  readonly side: Side;
  readonly blob: string;
}

function Picture({ path, side, blob }: PictureProps) {
  const { session, against } = useActions();
  const [contents, setContents] = useState<Contents | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another content is another picture
  useEffect(() => {
    let gone = false;
    fetchContents(session, path, side, against)
      .then((found) => !gone && setContents(found))
      .catch(() => undefined);
    return () => {
      gone = true;
    };
  }, [session, path, side, against, blob]);
  return (
    <figure className={side}>
      {contents?.data && (
        <img
          src={`data:${contents.media};base64,${contents.data}`}
          alt={side === "old" ? "Before" : "After"}
        />
      )}
      <figcaption>
        {side === "old" ? "Before" : "After"}
        {contents !== null && `, ${bytes(contents.bytes)}`}
      </figcaption>
    </figure>
  );
}
