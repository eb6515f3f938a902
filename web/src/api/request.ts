/** The one way to the hub's HTTP API: typed, with the token, and with one shape of error. */

import { setToken, token } from "./token";

export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly hint: string,
  ) {
    super(message);
  }
}

/** The hub could not be asked at all. */
export const UNREACHED = 0;
const RETRY_AFTER_MS = [300, 1000, 2500];

let refused: () => void = () => undefined;

/** Who is told that the token is no longer good. */
export function onRefused(listener: () => void): void {
  refused = listener;
}

export function fetchJson<T>(path: string): Promise<T> {
  return ask<T>(path, { headers: headers() });
}

/**
 * Sends a command. It carries an id of its own, so that sending it again after a lost answer
 * changes nothing: a cut connection is retried, and the hub gives the first answer again.
 */
export async function command<T>(path: string, body: unknown = {}): Promise<T> {
  const init = post(body);
  for (const delay of RETRY_AFTER_MS) {
    try {
      return await ask<T>(path, init);
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== UNREACHED) throw error;
      await new Promise((done) => setTimeout(done, delay));
    }
  }
  return ask<T>(path, init);
}

/** A command that is not worth a second try. */
export function commandOnce<T>(path: string): Promise<T> {
  return ask<T>(path, post({}));
}

function post(body: unknown): RequestInit {
  const id = commandId();
  return {
    method: "POST",
    headers: { ...headers(), "Content-Type": "application/json", "Command-Id": id },
    body: JSON.stringify(body),
  };
}

/** Also where the page has no secure context and so no `randomUUID`. */
function commandId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function headers(): Record<string, string> {
  return { Authorization: `Bearer ${token() ?? ""}` };
}

async function ask<T>(path: string, init: RequestInit): Promise<T> {
  let answer: Response;
  try {
    answer = await fetch(`/api${path}`, init);
  } catch {
    throw new Problem(UNREACHED, "unreachable", "The hub does not answer.", "Is it running?");
  }
  if (answer.ok) return (await answer.json()) as T;
  if (answer.status === 401) {
    setToken(null);
    refused();
  }
  throw await problem(answer);
}

async function problem(answer: Response): Promise<Problem> {
  const said = (await answer.json().catch(() => ({}))) as Partial<Problem>;
  return new Problem(
    answer.status,
    said.code ?? "error",
    said.message ?? `The hub answered ${answer.status}.`,
    said.hint ?? "",
  );
}
