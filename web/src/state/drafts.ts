/** What a person was writing, kept on this machine until it is sent. */

const PREFIX = "manyhands.draft.";

export function draft(name: string): string {
  return localStorage.getItem(PREFIX + name) ?? "";
}

export function setDraft(name: string, text: string): void {
  if (text === "") localStorage.removeItem(PREFIX + name);
  else localStorage.setItem(PREFIX + name, text);
}
