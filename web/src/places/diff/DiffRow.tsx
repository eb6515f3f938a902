import { memo } from "react";
import { languageOf } from "../../parts/code/highlight";
import { Pieces } from "../../parts/code/Pieces";
import { FileHead } from "./FileHead";
import type { Row } from "./rows";

const SIGNS = { same: " ", added: "+", removed: "−" } as const;

interface Props {
  readonly row: Row;
  readonly top: number;
  readonly onFold: (path: string) => void;
}

export const DiffRow = memo(function DiffRow({ row, top, onFold }: Props) {
  const style = { transform: `translateY(${top}px)` };
  switch (row.kind) {
    case "file":
      return (
        <div className="diff-row file" style={style}>
          <FileHead row={row} onFold={onFold} />
        </div>
      );
    case "gap":
      return (
        <div className="diff-row gap" style={style}>
          <i aria-hidden="true">⋯</i>
          {row.text}
        </div>
      );
    case "line": {
      const { line, path } = row;
      return (
        <div className={`diff-row line ${line.kind}`} style={style} data-testid="diff-line">
          <i>{line.after ?? line.before}</i>
          <span className="sign">{SIGNS[line.kind]}</span>
          <code>
            <Pieces text={line.text} lang={languageOf(path)} mark={line.mark} />
          </code>
        </div>
      );
    }
  }
});
