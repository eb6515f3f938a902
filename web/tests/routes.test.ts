// @vitest-environment jsdom
/** Whoever asks the hub for something that it does not have is told so by the type checker. */

import { afterEach, expect, test, vi } from "vitest";
import { command, fetchJson } from "../src/api/request";

afterEach(() => vi.unstubAllGlobals());

/** Never called: `tsc` fails here as soon as one of these is no mistake any more. */
const mistakes = [
  // @ts-expect-error: there is no such route
  () => fetchJson("/nowhere", {}),
  // @ts-expect-error: this one is a command, not a question
  () => fetchJson("/sessions/{ref}/stop", { ref: "s" }),
  // @ts-expect-error: the path needs a session
  () => fetchJson("/sessions/{ref}", {}),
  // @ts-expect-error: a query that the route does not know
  () => fetchJson("/sessions", {}, { everything: true }),
  // @ts-expect-error: a body is missing
  () => command("/sessions/{ref}/rename", { ref: "s" }),
  // @ts-expect-error: a field of another name
  () => command("/sessions/{ref}/rename", { ref: "s" }, { name: "x" }),
  // @ts-expect-error: a value that is none of the choices
  () => command("/sessions/{ref}/mode", { ref: "s" }, { mode: "reckless" }),
  // @ts-expect-error: the answer has no such field
  async () => (await fetchJson("/status", {})).nothing,
];

test("what the hub does not have is a mistake to the type checker", () => {
  expect(mistakes).toHaveLength(8);
});

test("a route's names and query are filled into its address", async () => {
  const asked: string[] = [];
  vi.stubGlobal("fetch", (address: string) => {
    asked.push(address);
    return Promise.resolve(new Response("[]"));
  });
  await fetchJson(
    "/sessions/{ref}/review/patches",
    { ref: "s1" },
    { path: ["a b", "c"], whole: true },
  );
  await fetchJson("/sessions/{ref}/files/{place}", { ref: "s1", place: "src/a?.ts" });
  await fetchJson("/sessions", {});
  expect(asked).toEqual([
    "/api/sessions/s1/review/patches?path=a+b&path=c&whole=true",
    "/api/sessions/s1/files/src/a%3F.ts",
    "/api/sessions",
  ]);
});
