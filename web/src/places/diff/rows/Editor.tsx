import { type KeyboardEvent, useEffect, useRef } from "react";
import { discardComment } from "../../../api/review";
import { Button } from "../../../parts/Button";
import {
  closeDraft,
  finishDraft,
  loadReview,
  type Typed,
  typeDraft,
} from "../../../state/diff/review";
import { attempt } from "../../../state/page/notices";

/** Where a comment is written. What is typed is kept in the hub, key by key. */
export function Editor({ typed, isNew }: { readonly typed: Typed; readonly isNew: boolean }) {
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => box.current?.focus({ preventScroll: true }), []);
  const { id, text, suggestion, session, start, side } = typed;
  const give = async () => {
    closeDraft(id);
    if (isNew) return;
    await attempt(() => discardComment(session, id));
    await loadReview(session);
  };
  const keys = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) void finishDraft(id);
    else if (event.key === "Escape") {
      event.preventDefault();
      if (text.trim() === "" && isNew) closeDraft(id);
      else void finishDraft(id);
    }
  };
  return (
    <form
      className="comment editor"
      data-testid="comment-editor"
      onSubmit={(event) => {
        event.preventDefault();
        void finishDraft(id);
      }}
    >
      <textarea
        ref={box}
        className="field"
        rows={3}
        value={text}
        placeholder="What should be different here?"
        aria-label="Comment"
        onKeyDown={keys}
        onChange={(event) => typeDraft(id, { text: event.target.value })}
      />
      {suggestion !== null && (
        <textarea
          className="field code-field"
          rows={Math.min(12, suggestion.split("\n").length + 1)}
          value={suggestion}
          spellCheck={false}
          aria-label="Suggested lines"
          onKeyDown={keys}
          onChange={(event) => typeDraft(id, { suggestion: event.target.value })}
        />
      )}
      <footer>
        <Button look="primary" type="submit" disabled={text.trim() === ""}>
          Save draft
        </Button>
        {start > 0 && side === "new" && (
          <Button
            onClick={() =>
              typeDraft(id, { suggestion: suggestion === null ? typed.lines.join("\n") : null })
            }
          >
            {suggestion === null ? "Suggest a change" : "No suggestion"}
          </Button>
        )}
        <Button look="quiet" onClick={() => void give()}>
          Discard
        </Button>
        <span className="saved" aria-live="polite">
          {text.trim() !== "" && (typed.saved ? "kept" : "…")}
        </span>
      </footer>
    </form>
  );
}
