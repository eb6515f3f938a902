/** What can be looked into: usage, files of a worktree, commands that were run, the config. */

import { command, fetchJson } from "./request";

/** One day's use of one model in one session. */
export interface UsageCell {
  readonly day: string;
  readonly session: string;
  readonly title: string;
  readonly repo: string;
  readonly agent: string;
  readonly model: string;
  readonly turns: number;
  readonly tokens_in: number;
  readonly tokens_out: number;
  readonly cost_usd: number;
  readonly working_seconds: number;
  readonly waiting_seconds: number;
}

export interface FileList {
  readonly paths: readonly string[];
  readonly more: boolean;
}

export interface FileView {
  readonly path: string;
  readonly kind: "text" | "image" | "binary" | "link";
  readonly bytes: number;
  readonly text: string;
  readonly cut: boolean;
  readonly media_type: string;
  readonly data: string;
}

/** A git command that was run. */
export interface Trace {
  readonly at: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly seconds: number;
  readonly returncode: number;
}

export type SettingValue =
  | string
  | number
  | boolean
  | readonly string[]
  | Readonly<Record<string, string>>
  | null;

export interface Field {
  readonly key: string;
  readonly kind: "choice" | "integer" | "number" | "text" | "switch" | "list" | "table" | "other";
  readonly value: SettingValue;
  readonly default: SettingValue;
  readonly given: boolean;
  readonly optional: boolean;
  readonly choices: readonly string[];
  readonly names: readonly string[];
  readonly says: string;
}

export interface Config {
  readonly path: string;
  readonly text: string;
  readonly digest: string;
  readonly problem: string;
  readonly fields: readonly Field[];
}

export const fetchUsage = () => fetchJson<UsageCell[]>("/usage");
export const fetchFiles = (id: string) => fetchJson<FileList>(`/sessions/${id}/files`);
export const fetchFile = (id: string, path: string) =>
  fetchJson<FileView>(`/sessions/${id}/files/${path.split("/").map(encodeURIComponent).join("/")}`);
export const fetchCommands = () => fetchJson<Trace[]>("/log/commands?limit=2000");
export const fetchConfig = () => fetchJson<Config>("/config");
export const setConfig = (text: string, digest: string) =>
  command<Config>("/config", { text, digest });
export const setSetting = (key: string, value: SettingValue, digest: string) =>
  command<Config>("/config/setting", { key, value, digest });
