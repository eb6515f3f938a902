/** Opens the event socket with a fresh ticket; a token never stands in an address. */

import { fetchTicket } from "./hub";
import type { Wire } from "./socket";

export async function connect(after: number | null): Promise<Wire> {
  const { ticket } = await fetchTicket();
  const query = new URLSearchParams({ ticket, ...(after === null ? {} : { after: `${after}` }) });
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  return new WebSocket(`${scheme}://${location.host}/api/events?${query}`) as Wire;
}
