/** Where what a session serves is to be seen. */

import type { SessionView } from "../../api/types.gen";

export interface Address {
  readonly port: number;
  readonly url: string;
  /** The service's name, where it is one. */
  readonly name: string;
}

/** Each port that the session listens on, and each of its running services'. */
export function addressesOf(session: SessionView): Address[] {
  const found = new Map<number, Address>();
  for (const { name, port, url, state } of session.services ?? []) {
    if (port !== null && url !== "" && state !== "crashed") found.set(port, { port, url, name });
  }
  for (const { port } of session.listening ?? []) {
    if (!found.has(port)) found.set(port, { port, url: `http://127.0.0.1:${port}/`, name: "" });
  }
  return [...found.values()].sort((a, b) => a.port - b.port);
}
