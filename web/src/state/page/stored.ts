/** What this browser remembers between visits, and tells its other tabs. */

import { create, type StoreApi, type UseBoundStore } from "zustand";

const PREFIX = "manyhands.";

/** A store that lives under `name` in this origin's storage; every tab holds the same value. */
export function stored<T extends object>(name: string, usual: T): UseBoundStore<StoreApi<T>> {
  const key = PREFIX + name;
  const store = create<T>(() => ({ ...usual, ...read(key) }));
  let saving = true;
  store.subscribe((value) => {
    if (saving) localStorage.setItem(key, JSON.stringify(value));
  });
  window.addEventListener("storage", (event) => {
    if (event.key !== key) return;
    saving = false;
    store.setState({ ...usual, ...read<T>(key) }, true);
    saving = true;
  });
  return store;
}

/** Whatever cannot be read counts as never written. */
function read<T>(key: string): Partial<T> {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(key) ?? "{}");
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}
