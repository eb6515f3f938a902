/** The addresses of the places; the hub serves the same page for all of them. */

export const SESSIONS = "/";
export const INBOX = "/inbox";
export const CONFLICTS = "/conflicts";
export const SESSION = "/s/:id";
export const sessionPath = (id: string): string => `/s/${id}`;
