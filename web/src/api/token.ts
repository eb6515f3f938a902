/** The token: bought once with the link's code, kept in this origin's storage, never a cookie. */

const KEY = "manyhands.token";

export function token(): string | null {
  return localStorage.getItem(KEY);
}

export function setToken(value: string | null): void {
  if (value === null) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, value);
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
  const answer = await fetch("/api/exchange", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ code }),
  });
  if (answer.ok) setToken(((await answer.json()) as { token: string }).token);
}
