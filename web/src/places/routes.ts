/** The addresses of the places; the hub serves the same page for all of them. */

export const SESSIONS = "/";
export const INBOX = "/inbox";
export const CONFLICTS = "/conflicts";
export const TRAIN = "/train";
export const WALL = "/wall";
export const WELCOME = "/welcome";
export const USAGE = "/usage";
export const SETTINGS = "/settings";
export const ARCHIVE = "/archive";
export const COMMANDS = "/commands";
export const JOBS = "/jobs";
export const COMPARE = "/compare";
export const SESSION = "/s/:id";
export const sessionPath = (id: string): string => `/s/${id}`;
export const comparePath = (ids: readonly string[]): string => `${COMPARE}?of=${ids.join(",")}`;
