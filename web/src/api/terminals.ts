/** Terminals, asked of the hub by the operations' own names, and one's socket. */

import type { Size } from "../state/terminals/protocol";
import type { TerminalWire } from "../state/terminals/terminalSocket";
import { fetchTicket } from "./hub";
import { command } from "./request";

export type { TerminalView as Terminal } from "./types.gen";

export const makeTerminal = (ref: string, size: Size, name: string) =>
  command("/sessions/{ref}/terminals", { ref }, { name, ...size });
export const renameTerminal = (ref: string, name: string, to: string) =>
  command("/sessions/{ref}/terminals/{name}/change", { ref, name }, { name: to });
export const moveTerminal = (ref: string, name: string, position: number) =>
  command("/sessions/{ref}/terminals/{name}/change", { ref, name }, { position });
export const setBell = (ref: string, name: string, bell: boolean) =>
  command("/sessions/{ref}/terminals/{name}/change", { ref, name }, { bell });
export const killTerminal = (ref: string, name: string) =>
  command("/sessions/{ref}/terminals/{name}/kill", { ref, name });
export const restartTerminal = (ref: string, name: string) =>
  command("/sessions/{ref}/terminals/{name}/restart", { ref, name });
export const closeTerminal = (ref: string, name: string) =>
  command("/sessions/{ref}/terminals/{name}/close", { ref, name });

export type Watching = "type" | "watch";

/** Like the events' socket by a fresh ticket: a token never stands in an address. */
export async function connectTerminal(
  ref: string,
  name: string,
  mode: Watching,
  { rows, columns }: Size,
): Promise<TerminalWire> {
  const { ticket } = await fetchTicket();
  const query = new URLSearchParams({ ticket, mode, rows: `${rows}`, columns: `${columns}` });
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const path = `/api/sessions/${ref}/terminals/${encodeURIComponent(name)}/socket`;
  const socket = new WebSocket(`${scheme}://${location.host}${path}?${query}`);
  socket.binaryType = "arraybuffer";
  return socket as TerminalWire;
}
