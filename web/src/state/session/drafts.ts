/** What a person was writing, kept on this machine until it is sent. */

import { useEffect, useState } from "react";

const PREFIX = "manyhands.draft.";

export function draft(name: string): string {
  return localStorage.getItem(PREFIX + name) ?? "";
}

export function setDraft(name: string, text: string): void {
  if (text === "") localStorage.removeItem(PREFIX + name);
  else localStorage.setItem(PREFIX + name, text);
}

/** Words below those that are there, in every composer that shows them. */
export function addToDraft(name: string, words: string): void {
  if (words === "") return;
  const before = draft(name).trimEnd();
  const newValue = before === "" ? words : `${before}\n${words}`;
  setDraft(name, newValue);
  // A browser tells this of other tabs only.
  window.dispatchEvent(new StorageEvent("storage", { key: PREFIX + name, newValue }));
}

/** A draft that all tabs write on together. */
export function useDraft(name: string): [string, (text: string) => void] {
  const [text, setText] = useState(() => draft(name));
  useEffect(() => {
    const hear = (event: StorageEvent) => {
      if (event.key === PREFIX + name) setText(event.newValue ?? "");
    };
    window.addEventListener("storage", hear);
    return () => window.removeEventListener("storage", hear);
  }, [name]);
  const change = (next: string) => {
    setText(next);
    setDraft(name, next);
  };
  return [text, change];
}
