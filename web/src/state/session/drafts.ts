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
