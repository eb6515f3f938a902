/** What this hub takes for a new session, as its own description says; asked once. */

import { useEffect } from "react";
import { create } from "zustand";
import { fetchJson } from "../api/request";

interface Described {
  readonly components?: {
    readonly schemas?: Readonly<Record<string, { readonly properties?: object }>>;
  };
}

const useStore = create<{ readonly fields: ReadonlySet<string> }>(() => ({ fields: new Set() }));
let asked = false;

/** The names of the fields that `new` knows; empty until they are known. */
export function useNewFields(): ReadonlySet<string> {
  useEffect(() => {
    if (asked) return;
    asked = true;
    fetchJson<Described>("/openapi.json").then(
      ({ components }) => {
        const properties = components?.schemas?.New?.properties ?? {};
        useStore.setState({ fields: new Set(Object.keys(properties)) });
      },
      () => {
        asked = false;
      },
    );
  }, []);
  return useStore((store) => store.fields);
}
