import type { CommentView } from "../../../api/types.gen";
import { Button } from "../../../parts/Button";
import { editComment, useReviews } from "../../../state/diff/review";
import { useActions } from "../actions";
import { Editor } from "./Editor";
import { Plain } from "./Plain";

interface Props {
  readonly comments: readonly CommentView[];
  readonly label: string;
}

/** All comments at one place. */
export function Thread({ comments, label }: Props) {
  return (
    <div className="thread">
      {comments.map((comment) => (
        <Comment key={comment.id} comment={comment} label={label} />
      ))}
    </div>
  );
}

const STATES: Readonly<Record<CommentView["state"], string>> = {
  draft: "Draft",
  open: "Open",
  answered: "Answered",
  addressed: "Addressed",
  resolved: "Resolved",
};

function Comment({ comment, label }: { comment: CommentView; label: string }) {
  const typed = useReviews((state) => state.typed[comment.id]);
  if (typed !== undefined) return <Editor typed={typed} isNew={comment.at === ""} />;
  return (
    <article
      className={`comment ${comment.state}`}
      data-testid="comment"
      data-id={comment.id}
      data-state={comment.state}
      aria-label={`Comment ${comment.id}`}
    >
      <header>
        <span className={`comment-state ${comment.state}`}>{STATES[comment.state]}</span>
        <span>{label || where(comment)}</span>
        {comment.outdated && <span className="tag">outdated</span>}
        {comment.state === "addressed" && comment.answered && <span className="tag">answered</span>}
        <code className="comment-id">{comment.id}</code>
      </header>
      {comment.outdated && comment.lines.length > 0 && (
        <pre className="was">
          <Plain text={comment.lines.slice(0, 6).join("\n")} />
        </pre>
      )}
      <p className="words">
        <Plain text={comment.text} />
      </p>
      {comment.suggestion !== null && (
        <pre className="suggestion" title="Suggested in place of these lines">
          <Plain text={comment.suggestion} />
        </pre>
      )}
      {comment.reply && (
        <blockquote>
          <b>Agent</b>
          <Plain text={comment.reply} />
        </blockquote>
      )}
      <Tools comment={comment} />
    </article>
  );
}

function where({ path, start, end, side }: CommentView): string {
  if (path === "") return "the whole change";
  if (start === 0) return "the file";
  const lines = start === end ? `line ${start}` : `lines ${start}–${end}`;
  return side === "old" ? `old ${lines}` : lines;
}

function Tools({ comment }: { readonly comment: CommentView }) {
  const { session, act } = useActions();
  const { state, suggestion, outdated } = comment;
  return (
    <footer>
      {state === "draft" && (
        <>
          <Button onClick={() => editComment(session, comment)}>Edit</Button>
          <Button look="quiet" onClick={() => act(comment, "discard")}>
            Discard
          </Button>
        </>
      )}
      {suggestion !== null && state !== "resolved" && !outdated && (
        <Button onClick={() => act(comment, "apply")}>Apply suggestion</Button>
      )}
      {state === "resolved" ? (
        <Button look="quiet" onClick={() => act(comment, "reopen")}>
          Reopen
        </Button>
      ) : (
        state !== "draft" && (
          <>
            <Button onClick={() => act(comment, "resolve")}>Resolve</Button>
            {(state === "addressed" || state === "answered") && (
              <Button look="quiet" onClick={() => act(comment, "reopen")}>
                Reopen
              </Button>
            )}
          </>
        )
      )}
    </footer>
  );
}
