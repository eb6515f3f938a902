import { useState } from "react";
import { grown, isSeen, type Mark, type Point, type Tool } from "../../state/session/marks";

export interface Drawing {
  /** With the one that is being drawn. */
  readonly marks: readonly Mark[];
  readonly drawing: boolean;
  readonly begin: (at: Point) => void;
  readonly move: (to: Point) => void;
  readonly end: () => void;
  readonly undo: () => void;
}

/** Marks as they are drawn, one after the other, and taken back. */
export function useDrawing(tool: Tool): Drawing {
  const [done, setDone] = useState<readonly Mark[]>([]);
  const [open, setOpen] = useState<Mark | null>(null);
  return {
    marks: open === null ? done : [...done, open],
    drawing: open !== null,
    begin: (at) => setOpen({ tool, points: [at] }),
    move: (to) => setOpen((mark) => mark && grown(mark, to)),
    end: () => {
      if (open !== null && isSeen(open)) setDone([...done, open]);
      setOpen(null);
    },
    undo: () => (open === null ? setDone(done.slice(0, -1)) : setOpen(null)),
  };
}
