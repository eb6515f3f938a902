/** Links on a terminal's screen: a line that was wrapped is read as the one that it is. */

import type { IBufferRange, ILink, ILinkProvider, Terminal } from "@xterm/xterm";
import { type Found, linksIn } from "../../../state/terminals/links";

const MOST_WRAPPED = 40;

interface Cell {
  readonly x: number;
  readonly y: number;
}

/** `chosen` is called with what was pressed. */
export function linkProvider(term: Terminal, chosen: (link: Found) => void): ILinkProvider {
  return {
    provideLinks(row, give) {
      const { text, cells } = lineAt(term, row - 1);
      const links = linksIn(text).map((link) => made(text, link, cells, chosen));
      give(links.length > 0 ? links : undefined);
    },
  };
}

function made(
  text: string,
  link: Found,
  cells: readonly Cell[],
  chosen: (link: Found) => void,
): ILink {
  const nowhere = { x: 0, y: 0 };
  const range: IBufferRange = {
    start: cells[link.start] ?? nowhere,
    end: cells[link.end - 1] ?? nowhere,
  };
  return { range, text: text.slice(link.start, link.end), activate: () => chosen(link) };
}

/** The text of the whole line, and the cell of each of its letters, counted from 1. */
function lineAt(term: Terminal, row: number): { text: string; cells: readonly Cell[] } {
  const { active } = term.buffer;
  let first = row;
  while (first > 0 && row - first < MOST_WRAPPED && active.getLine(first)?.isWrapped) first--;
  let text = "";
  const cells: Cell[] = [];
  for (let at = first; at - first < MOST_WRAPPED; at++) {
    const line = active.getLine(at);
    if (line === undefined || (at > first && !line.isWrapped)) break;
    for (let x = 0; x < line.length; x++) {
      const cell = line.getCell(x);
      if (cell === undefined || cell.getWidth() === 0) continue;
      const letters = cell.getChars() || " ";
      text += letters;
      for (const _ of letters.split("")) cells.push({ x: x + 1, y: at + 1 });
    }
  }
  return { text, cells };
}
