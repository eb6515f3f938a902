/** Tasks that come again: words and choices under a name, kept in this browser. */

import { stored } from "../../state/page/stored";
import type { Chosen } from "./useForm";

export interface Template {
  readonly text: string;
  readonly chosen: Partial<Chosen>;
}

export const useTemplates = stored<{ readonly named: Readonly<Record<string, Template>> }>(
  "templates",
  { named: {} },
);

export function saveTemplate(name: string, template: Template): void {
  useTemplates.setState(({ named }) => ({ named: { ...named, [name]: template } }));
}

export function forgetTemplate(name: string): void {
  useTemplates.setState(({ named: { [name]: _, ...named } }) => ({ named }));
}
