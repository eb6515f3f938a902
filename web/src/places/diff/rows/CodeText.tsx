import { memo } from "react";
import { type Piece, useHighlighter } from "../../../parts/code/highlight";
import type { Hunk, PatchLine } from "../../../state/diff/patch";
import { colours } from "./colours";
import { visible } from "./visible";
import type { Span } from "./words";

const LONGEST = 4000;

interface Props {
  readonly line: PatchLine;
  readonly hunk: Hunk | null;
  readonly lang: string;
  readonly marks: readonly Span[];
}

interface Segment {
  readonly text: string;
  readonly look: string;
  readonly marked: boolean;
  readonly at: number;
}

/** One line of code: coloured, its changed words marked, nothing in it hidden. */
export const CodeText = memo(function CodeText({ line, hunk, lang, marks }: Props) {
  useHighlighter();
  const { text } = line;
  const isLong = text.length > LONGEST;
  const coloured = isLong
    ? [{ text: text.slice(0, LONGEST), look: "" }]
    : colours(line, hunk, lang);
  return (
    <>
      {segments(coloured, marks).map(({ text, look, marked, at }) => {
        const Tag = marked ? "mark" : "span";
        return (
          <Tag key={at} className={look || undefined}>
            {visible(text).map((part) =>
              part.odd ? (
                <span key={part.at} className="odd" title="An invisible or reordering character">
                  {part.text}
                </span>
              ) : (
                part.text
              ),
            )}
          </Tag>
        );
      })}
      {isLong && <em>… {text.length - LONGEST} more characters</em>}
    </>
  );
});

function segments(coloured: readonly Piece[], marks: readonly Span[]): Segment[] {
  const found: Segment[] = [];
  let at = 0;
  for (const piece of coloured) {
    const end = at + piece.text.length;
    const edges = marks.flat().filter((edge) => edge > at && edge < end);
    const cuts = [at, ...edges, end];
    for (let n = 1; n < cuts.length; n++) {
      const [from = 0, to = 0] = cuts.slice(n - 1, n + 1);
      const marked = marks.some((mark) => from >= mark[0] && to <= mark[1]);
      const part = piece.text.slice(from - at, to - at);
      if (part !== "") found.push({ text: part, look: piece.look, marked, at: from });
    }
    at = end;
  }
  return found;
}
