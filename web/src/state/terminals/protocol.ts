/** What the hub and the page say of one terminal; its bytes travel beside, in binary frames. */

export interface Size {
  readonly rows: number;
  readonly columns: number;
}

/** The next binary frame draws the screen as it is, with its scrollback. */
export interface ScreenFrame extends Size {
  readonly type: "screen";
  readonly title: string;
}

export type FromHub =
  | ScreenFrame
  | (Size & { readonly type: "size" })
  | { readonly type: "title"; readonly title: string }
  | { readonly type: "viewers"; readonly viewers: number }
  | { readonly type: "exit"; readonly exit_code: number | null; readonly seconds: number }
  | { readonly type: "error"; readonly message: string };

const TYPES = ["screen", "size", "title", "viewers", "exit", "error"];
const LEAST: Size = { rows: 10, columns: 20 };
const MOST: Size = { rows: 500, columns: 1000 };

/** Of a type that this page does not know, nothing. */
export function heard(text: string): FromHub | null {
  const said = JSON.parse(text) as FromHub;
  return TYPES.includes(said.type) ? said : null;
}

export const ackText = (bytes: number): string => JSON.stringify({ type: "ack", bytes });

export const sizeText = ({ rows, columns }: Size): string =>
  JSON.stringify({ type: "size", rows, columns });

export function clamped({ rows, columns }: Size): Size {
  return {
    rows: Math.min(MOST.rows, Math.max(LEAST.rows, rows)),
    columns: Math.min(MOST.columns, Math.max(LEAST.columns, columns)),
  };
}

export const isSameSize = (one: Size, other: Size): boolean =>
  one.rows === other.rows && one.columns === other.columns;
