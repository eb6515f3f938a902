/** Everything that can be asked of a session's services. */

import { command, fetchJson } from "./request";

export const fetchServices = (ref: string) => fetchJson("/sessions/{ref}/services", { ref });

export const startService = (ref: string, name: string) =>
  command("/sessions/{ref}/services/start", { ref }, { name });
export const stopService = (ref: string, name: string) =>
  command("/sessions/{ref}/services/stop", { ref }, { name });
export const restartService = (ref: string, name: string) =>
  command("/sessions/{ref}/services/restart", { ref }, { name });

/** The last of what it said; from `after` on, held open for `wait` seconds until there is more. */
export const fetchServiceLog = (ref: string, name: string, after: number | null, wait: number) =>
  fetchJson(
    "/sessions/{ref}/services/{name}/log",
    { ref, name },
    after === null ? {} : { after, wait },
  );

export const findInServiceLog = (ref: string, name: string, find: string) =>
  fetchJson("/sessions/{ref}/services/{name}/log", { ref, name }, { find });
