import { memo } from "react";
import { type Piece, pieces, useHighlighter } from "./highlight";

interface Props {
  readonly text: string;
  readonly lang: string;
  /** A part to stand out, as [from, to). */
  readonly mark: readonly [number, number] | null;
}

/** One line of code in its colours. */
export const Pieces = memo(function Pieces({ text, lang, mark }: Props) {
  useHighlighter();
  return cut(pieces(text, lang), mark).map(({ piece, marked, at }) => {
    const Tag = marked ? "mark" : "span";
    return (
      <Tag key={at} className={piece.look || undefined}>
        {piece.text}
      </Tag>
    );
  });
});

interface Cut {
  readonly piece: Piece;
  readonly marked: boolean;
  readonly at: number;
}

/** The pieces, cut where the mark begins and ends. */
function cut(all: readonly Piece[], mark: readonly [number, number] | null): Cut[] {
  const found: Cut[] = [];
  let at = 0;
  for (const piece of all) {
    const end = at + piece.text.length;
    const edges = [at, ...(mark ?? []).filter((edge) => edge > at && edge < end), end];
    for (let n = 1; n < edges.length; n++) {
      const [from = 0, to = 0] = edges.slice(n - 1, n + 1);
      const marked = mark !== null && from >= mark[0] && to <= mark[1];
      const text = piece.text.slice(from - at, to - at);
      if (text !== "") found.push({ piece: { ...piece, text }, marked, at: from });
    }
    at = end;
  }
  return found;
}
