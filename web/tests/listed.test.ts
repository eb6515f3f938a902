// @vitest-environment jsdom
import { expect, test } from "vitest";
import { arranged } from "../src/state/fleet/listed";
import { session } from "./sample";

const how = { by: "state", pinned: [], order: [], filter: "" } as const;
const ids = (groups: ReturnType<typeof arranged>) =>
  groups.map((group) => `${group.name}: ${group.sessions.map(({ id }) => id).join(" ")}`);

const FLEET = [
  session({ id: "a", created_at: "1", repo: "/r/one", title: "Rate limits" }),
  session({ id: "b", created_at: "2", repo: "/r/two", unread: true, branch: "mh/rate" }),
  session({ id: "c", created_at: "3", repo: "/r/one", status: "preparing" }),
  session({ id: "d", created_at: "4", repo: "/r/two", status: "waiting" }),
  session({ id: "e", created_at: "5", repo: "/r/one", status: "unreachable" }),
  session({ id: "f", created_at: "6", repo: "/r/one", status: "archived" }),
];

test("the list begins with what needs a person and leaves out empty groups", () => {
  expect(ids(arranged(FLEET, how))).toEqual([
    "needs: d",
    "failed: e",
    "queued: c",
    "unread: b",
    "idle: a",
  ]);
});

test("by repository, pinned ones stand first and in no other group", () => {
  expect(ids(arranged(FLEET, { ...how, by: "repo", pinned: ["d"] }))).toEqual([
    "pinned: d",
    "/r/one: a c e",
    "/r/two: b",
  ]);
});

test("a person's order holds among those that were moved, and new ones find their place", () => {
  const order = ["e", "a"];
  expect(ids(arranged(FLEET, { ...how, by: "repo", order }))).toEqual([
    "/r/one: e c a",
    "/r/two: b d",
  ]);
});

test("the filter wants every word, wherever the row says it", () => {
  expect(ids(arranged(FLEET, { ...how, filter: "rate LIMITS" }))).toEqual(["idle: a"]);
  expect(ids(arranged(FLEET, { ...how, filter: "rate" }))).toEqual(["unread: b", "idle: a"]);
});
