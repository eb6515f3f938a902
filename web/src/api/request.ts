/** The one way to the hub's HTTP API: typed, with the token, and with one shape of error. */

import { bearer, renewToken, setToken, token } from "./token";
import type { Commands, Failure, Reads } from "./types.gen";

/** A value for each `{name}` in a route's path. */
type Names<P> = P extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [N in Name]: string } & Names<Rest>
  : unknown;
type Body<P extends keyof Commands> = Commands[P]["body"] extends null
  ? []
  : [body: Commands[P]["body"]];
type Query = Readonly<Record<string, unknown>>;

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

export function fetchJson<P extends keyof Reads>(
  path: P,
  names: Names<P>,
  query: Reads[P]["query"] = {},
): Promise<Reads[P]["answer"]> {
  return ask(`${filled(path, names)}${asked(query)}`, {});
}

/**
 * Sends a command. It carries an id of its own, so that sending it again after a lost answer
 * changes nothing: a cut connection is retried, and the hub gives the first answer again.
 */
export async function command<P extends keyof Commands>(
  route: P,
  names: Names<P>,
  ...body: Body<P>
): Promise<Commands[P]["answer"]> {
  const path = filled(route, names);
  const init = post(body[0] ?? {});
  for (const delay of RETRY_AFTER_MS) {
    try {
      return await ask(path, init);
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== UNREACHED) throw error;
      await new Promise((done) => setTimeout(done, delay));
    }
  }
  return ask(path, init);
}

/** A command that is not worth a second try. */
export function commandOnce<P extends keyof Commands>(path: P): Promise<Commands[P]["answer"]> {
  return ask(path, post({}));
}

/** The path as it is asked for; a name that is itself a path keeps its slashes. */
function filled(path: string, names: unknown): string {
  const given = names as Readonly<Record<string, string>>;
  return path.replace(/\{(\w+)\}/g, (_, name: string) =>
    (given[name] ?? "").split("/").map(encodeURIComponent).join("/"),
  );
}

function asked(query: Query): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined) given.append(name, `${one}`);
    }
  }
  return given.size > 0 ? `?${given}` : "";
}

function post(body: unknown): RequestInit {
  const id = commandId();
  return {
    method: "POST",
    headers: { "Content-Type": "application/json", "Command-Id": id },
    body: JSON.stringify(body),
  };
}

/** Also where the page has no secure context and so no `randomUUID`. */
function commandId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function ask<T>(path: string, init: RequestInit): Promise<T> {
  const used = token();
  let answer = await send(path, init);
  if (answer.status === 401 && (await renewed(used))) answer = await send(path, init);
  if (answer.ok) return (await answer.json()) as T;
  if (answer.status === 401) {
    setToken(null);
    refused();
  }
  throw await problem(answer);
}

async function send(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(`/api${path}`, { ...init, headers: { ...init.headers, ...bearer() } });
  } catch {
    throw unreached();
  }
}

/** The hub may be another run than the one that gave the token. */
async function renewed(used: string | null): Promise<boolean> {
  try {
    return await renewToken(used);
  } catch {
    throw unreached();
  }
}

function unreached(): Problem {
  return new Problem(UNREACHED, "unreachable", "The hub does not answer.", "Is it running?");
}

async function problem(answer: Response): Promise<Problem> {
  const said = (await answer.json().catch(() => ({}))) as Partial<Failure>;
  return new Problem(
    answer.status,
    said.code ?? "error",
    said.message ?? `The hub answered ${answer.status}.`,
    said.hint ?? "",
  );
}
