/** Opens the event socket with a fresh ticket; a token never stands in an address. */

import { fetchTicket } from "./hub";
import type { Wire } from "./socket";
import { nameKey } from "./token";

export async function connect(): Promise<Wire> {
  await nameKey();
  const { ticket } = await fetchTicket();
  const query = new URLSearchParams({ ticket, topics: "true" });
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const socket = new WebSocket(`${scheme}://${location.host}/api/events?${query}`);
  socket.binaryType = "arraybuffer";
  return socket as Wire;
}
