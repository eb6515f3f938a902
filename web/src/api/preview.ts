/** Previews of what sessions serve: their addresses, and pictures of them. */

import { command, fetchJson } from "./request";

export const takePicture = (
  ref: string,
  service: string,
  path: string,
  width: number,
  height: number,
) => command("/sessions/{ref}/shot", { ref }, { service, path, width, height, at: null });
export const fetchPicture = (ref: string, name: string) =>
  fetchJson("/sessions/{ref}/pictures/{name}", { ref, name });
export const fetchElements = (ref: string, name: string) =>
  fetchJson("/sessions/{ref}/pictures/{name}/elements", { ref, name });

/** The site of which all previews are; only a page under this name has their cookies in a frame. */
export const SITE = "manyhands.localhost";
export const LOCAL = new Set([SITE, "127.0.0.1", "localhost", "[::1]"]);
