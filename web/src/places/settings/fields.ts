/** Settings as a form needs them: in sections, by plain names, from text and back. */

import type { Field, SettingValue } from "../../api/insight";

export function sectionsOf(fields: readonly Field[]): [string, Field[]][] {
  const sections = new Map<string, Field[]>();
  for (const field of fields) {
    const section = field.key.slice(0, field.key.indexOf("."));
    sections.set(section, [...(sections.get(section) ?? []), field]);
  }
  return [...sections];
}

/** `fetch_every_seconds` reads "Fetch every seconds". */
export function nameOf(key: string): string {
  const words = key
    .replaceAll("_", " ")
    .replace(/\busd\b/, "USD")
    .replace(/\bmb\b/, "MB");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function textOf(value: SettingValue): string {
  if (value === null) return "";
  if (Array.isArray(value)) return value.join(", ");
  return typeof value === "object" ? JSON.stringify(value) : `${value}`;
}

/** What was typed as the setting's kind of value; undefined where it cannot be one. */
export function typedValue(field: Field, text: string): SettingValue | undefined {
  const plain = text.trim();
  switch (field.kind) {
    case "integer":
    case "number": {
      if (plain === "") return field.optional ? null : undefined;
      const number = Number(plain);
      const fits = field.kind === "number" || Number.isInteger(number);
      return Number.isFinite(number) && fits ? number : undefined;
    }
    case "list":
      return plain === "" ? [] : plain.split(/\s*,\s*/).filter(Boolean);
    case "switch":
      return plain === "true";
    default:
      return plain;
  }
}
