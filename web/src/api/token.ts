/**
 * The token, and how the page gets the next one.
 *
 * It is bought with a link's code, kept in this origin's storage, never a cookie, and good for one
 * run of the hub: whoever listens on the hub's port while no hub runs is sent it, and it is no use
 * to them. Into the next run the page gets by a key that lives in its memory only: it signs what
 * that run thinks up, together with the address that the page stands at.
 */

const KEY = "manyhands.token";
const CURVE = { name: "ECDSA", namedCurve: "P-256" };
const SIGNING = { name: "ECDSA", hash: "SHA-256" };
const JSON_ONLY = { "Content-Type": "application/json" };

export function token(): string | null {
  return localStorage.getItem(KEY);
}

export function setToken(value: string | null): void {
  if (value === null) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, value);
}

export function bearer(): Record<string, string> {
  return { Authorization: `Bearer ${token() ?? ""}` };
}

/** The one-time code of the link, taken out of the address bar before anything can leak it. */
export function takeCode(): string | null {
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  if (code === null) return null;
  history.replaceState(null, "", location.pathname);
  return code;
}

/** Turns a link's code into a token; a spent code leaves the token that is there. */
export async function exchangeCode(code: string): Promise<void> {
  const given = await exchange({ code });
  if (given !== null) setToken(given.token);
}

let own: Promise<CryptoKeyPair> | null = null;

/** Tells the hub, which let this page in, the key by which the page comes back to its next run. */
export async function nameKey(): Promise<void> {
  if (own !== null || !hasKeys()) return;
  own = crypto.subtle.generateKey(CURVE, false, ["sign", "verify"]);
  let known = false;
  try {
    const body = JSON.stringify({ key: await publicHalf() });
    const headers = { ...JSON_ONLY, ...bearer() };
    const answer = await fetch("/api/page-key", { method: "POST", headers, body });
    // An answer that nobody reads keeps its request open.
    await answer.text();
    known = answer.ok;
  } finally {
    if (!known) own = null;
  }
}

let renewing: Promise<boolean> | null = null;

/** Whether there is another token than the refused one, by now or from this run of the hub. */
export function renewToken(refused: string | null): Promise<boolean> {
  if (token() !== null && token() !== refused) return Promise.resolve(true);
  renewing ??= prove().finally(() => {
    renewing = null;
  });
  return renewing;
}

async function prove(): Promise<boolean> {
  if (own === null) return false;
  const key = await publicHalf();
  const asked = await exchange({ key });
  if (asked === null) return false;
  const words = `manyhands page\n${location.host}\n${asked.nonce}`;
  const { privateKey } = await own;
  const signed = await crypto.subtle.sign(SIGNING, privateKey, new TextEncoder().encode(words));
  const given = await exchange({ key, nonce: asked.nonce, signature: base64url(signed) });
  if (given !== null) setToken(given.token);
  return given !== null;
}

async function exchange(body: object): Promise<{ token: string; nonce: string } | null> {
  const init = { method: "POST", headers: JSON_ONLY, body: JSON.stringify(body) };
  const answer = await fetch("/api/exchange", init);
  return answer.ok ? ((await answer.json()) as { token: string; nonce: string }) : null;
}

/** Browsers have no keys for a page that came unencrypted from another machine. */
function hasKeys(): boolean {
  return globalThis.isSecureContext && "subtle" in crypto;
}

async function publicHalf(): Promise<string> {
  const pair = await (own as Promise<CryptoKeyPair>);
  return base64url(await crypto.subtle.exportKey("raw", pair.publicKey));
}

function base64url(bytes: ArrayBuffer): string {
  const text = String.fromCharCode(...new Uint8Array(bytes));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
