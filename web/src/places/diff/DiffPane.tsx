import { useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import type { CommentView, SessionView } from "../../api/types.gen";
import { type SessionDiff, useDiffs } from "../../state/diff/diffs";
import { useDiffView } from "../../state/diff/diffView";
import { loadReview, useReviews } from "../../state/diff/review";
import { ActionsContext } from "./actions";
import { DiffList } from "./DiffList";
import { FileTree } from "./files/FileTree";
import { useTreeFiles } from "./files/useTreeFiles";
import type { Placed } from "./layout";
import { ReviewBar } from "./ReviewBar";
import { isIn } from "./rows/range";
import { Toolbar } from "./Toolbar";
import { useComments } from "./useComments";
import { beginAt, useDiffActions } from "./useDiffActions";
import { scrollToFile, useDiffKeys } from "./useDiffKeys";
import { useLayout } from "./useLayout";
import { useMarks } from "./useMarks";
import "./diff.css";

/** What the session changed, as it changes, and the review of it. */
export default function DiffPane({ session }: { readonly session: SessionView }) {
  // Drawn in slices: what comes in never holds up a key or a scroll.
  const diff = useDeferredValue(useDiffs((state) => state.open[session.id]));
  useEffect(() => void loadReview(session.id), [session.id]);
  if (diff === undefined) {
    return <section className="diff none" aria-label="Changes" aria-busy="true" />;
  }
  return <Review key={session.id} session={session} diff={diff} />;
}

interface Props {
  readonly session: SessionView;
  readonly diff: SessionDiff;
}

function Review({ session, diff }: Props) {
  const review = useReviews((state) => state.open[session.id]);
  const comments = useComments(session.id);
  const { tree } = useDiffView();
  const marks = useMarks();
  const actions = useDiffActions(session.id, diff, marks);
  const [current, setCurrent] = useState("");
  const { files } = diff;
  const isEmpty = files.length === 0 && comments.size === 0;
  return (
    <ActionsContext value={actions}>
      <section className="diff" aria-label="Changes" aria-busy={diff.more > 0} data-testid="diff">
        <Toolbar session={session} diff={diff} reviewed={(review?.reviewed ?? "") !== ""} />
        {isEmpty ? (
          <Nothing session={session} diff={diff} />
        ) : (
          <Panes
            {...{ session, diff, comments, marks, actions, current, setCurrent }}
            showTree={tree && files.length > 0}
          />
        )}
        <ReviewBar
          session={session}
          diff={diff}
          review={review}
          onWhole={() => beginAt(session.id, "")}
        />
      </section>
    </ActionsContext>
  );
}

interface PanesProps extends Props {
  readonly comments: ReadonlyMap<string, readonly CommentView[]>;
  readonly marks: ReturnType<typeof useMarks>;
  readonly actions: ReturnType<typeof useDiffActions>;
  readonly current: string;
  readonly setCurrent: (path: string) => void;
  readonly showTree: boolean;
}

function Panes(props: PanesProps) {
  const { session, diff, comments, marks, actions, current, setCurrent } = props;
  const view = useDiffView();
  const wrap = view.wrap || view.split;
  const scroller = useRef<HTMLDivElement>(null);
  const { folded, forced, expansions, since, range, cursor } = marks;
  const input = useMemo(
    () => ({
      files: diff.files,
      split: view.split,
      wrap,
      folded,
      forced,
      comments,
      expansions,
      since,
      isComplete: diff.more === 0 && diff.look.against === "base",
    }),
    [diff, view.split, wrap, folded, forced, comments, expansions, since],
  );
  const { layout, shape, measure } = useLayout(input);
  const chosen = useRef("");
  const show = useCallback(
    (path: string) => {
      chosen.current = path;
      scrollToFile(scroller.current, layout, path);
      setCurrent(path);
    },
    [layout, setCurrent],
  );
  const onCurrent = useCallback(
    (path: string, atEnd: boolean) => {
      // At the end of the list a chosen file cannot come to the top.
      if (!atEnd) chosen.current = "";
      if (chosen.current === "") setCurrent(path);
    },
    [setCurrent],
  );
  const watch = useDiffKeys({ layout, marks, actions, current, scroller, show });
  usePicking(marks, actions.comment);
  const picked = useCallback(
    (placed: Placed) =>
      isIn(range, placed) ? "picked" : cursor?.key === placed.row.key ? "cursor" : "",
    [range, cursor],
  );
  const listed = useTreeFiles(diff.files, comments);
  return (
    <div className={`diff-panes ${props.showTree ? "" : "no-tree"}`} {...watch}>
      {props.showTree && <FileTree files={listed} current={current} onChoose={show} />}
      <DiffList
        {...{ layout, shape, since, forced, wrap, picked, measure, scroller }}
        session={session.id}
        onCurrent={onCurrent}
      />
    </div>
  );
}

/** A range of lines ends where the button is let go. */
function usePicking(
  { range, setRange }: ReturnType<typeof useMarks>,
  comment: ReturnType<typeof useDiffActions>["comment"],
): void {
  useEffect(() => {
    if (range === null) return undefined;
    const end = () => {
      setRange(() => null);
      comment(range.from, range.to);
    };
    // A finger that began to scroll has not pointed at anything.
    const drop = () => setRange(() => null);
    window.addEventListener("pointerup", end);
    window.addEventListener("pointercancel", drop);
    return () => {
      window.removeEventListener("pointerup", end);
      window.removeEventListener("pointercancel", drop);
    };
  }, [range, setRange, comment]);
}

function Nothing({ session, diff }: Props) {
  const { problem, look } = diff;
  const against = look.against === "base" ? session.base : "what you compare with";
  return (
    <div className="empty">
      <h2>{problem ? "The changes cannot be shown" : "No changes"}</h2>
      <p>
        {problem ||
          `Everything that differs from ${against} shows here as it is written, committed or not.`}
      </p>
    </div>
  );
}
