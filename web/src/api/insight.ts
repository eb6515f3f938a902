/** What can be looked into: usage, files of a worktree, commands that were run, the config. */

import { command, fetchJson } from "./request";
import type { Field as AnyField, ConfigView, Setting } from "./types.gen";

export type {
  Cell as UsageCell,
  FileList,
  FileView,
  JobView as Job,
  Trace,
} from "./types.gen";
export type SettingValue = Setting["value"];

/** The hub's word for a value is "any"; these are the ones that there are. */
export interface Field extends AnyField {
  readonly value: SettingValue;
  readonly default: SettingValue;
}

export interface Config extends ConfigView {
  readonly fields: readonly Field[];
}

export const fetchUsage = () => fetchJson("/usage", {});
export const fetchFiles = (ref: string) => fetchJson("/sessions/{ref}/files", { ref });
export const fetchFile = (ref: string, place: string) =>
  fetchJson("/sessions/{ref}/files/{place}", { ref, place });
export const fetchCommands = () => fetchJson("/log/commands", {}, { limit: 2000 });
export const fetchJobs = () => fetchJson("/jobs", {}, { every: true });
export const cancelJob = (id: string) => command("/jobs/{id}/cancel", { id });
export const fetchConfig = () => fetchJson("/config", {}) as Promise<Config>;
export const setConfig = (text: string, digest: string) =>
  command("/config", {}, { text, digest }) as Promise<Config>;
export const setSetting = (key: string, value: SettingValue, digest: string) =>
  command("/config/setting", {}, { key, value, digest }) as Promise<Config>;
