import { useCallback, useState } from "react";
import type { SessionView } from "../../api/types.gen";
import { useDiffs } from "../../state/diffs";
import { DiffLines } from "./DiffLines";
import { FileList } from "./FileList";
import "./diff.css";

/** What the session changed against its base, as it changes. */
export default function DiffPane({ session }: { readonly session: SessionView }) {
  const diff = useDiffs((state) => state.open[session.id]);
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const [target, setTarget] = useState<{ path: string } | null>(null);
  const [current, setCurrent] = useState("");
  const fold = useCallback((path: string) => setFolded((before) => flipped(before, path)), []);
  const files = diff?.files ?? [];
  if (files.length === 0) {
    return (
      <section className="diff none" aria-label="Changes" aria-busy={diff === undefined}>
        {diff && <Nothing session={session} problem={diff.problem} />}
      </section>
    );
  }
  return (
    <section className="diff" aria-label="Changes" data-testid="diff">
      <div className="diff-panes">
        <FileList files={files} current={current} onChoose={(path) => setTarget({ path })} />
        <DiffLines
          files={files}
          folded={folded}
          target={target}
          onFold={fold}
          onCurrent={setCurrent}
        />
      </div>
    </section>
  );
}

function Nothing({
  session,
  problem,
}: {
  readonly session: SessionView;
  readonly problem: string;
}) {
  return (
    <div className="empty">
      <h2>{problem ? "The changes cannot be shown" : "No changes yet"}</h2>
      <p>
        {problem ||
          `Everything that differs from ${session.base} shows here as it is written, committed or not.`}
      </p>
    </div>
  );
}

function flipped(names: ReadonlySet<string>, name: string): ReadonlySet<string> {
  const next = new Set(names);
  if (!next.delete(name)) next.add(name);
  return next;
}
