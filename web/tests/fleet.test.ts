import { beforeEach, expect, test } from "vitest";
import type { AnyEvent } from "../src/api/types.gen";
import { fleetKnown, putSession, takeFleet, useFleet } from "../src/state/fleet/fleet";
import { inbox } from "../src/state/fleet/groups";
import { item, session } from "./sample";

const event = (seq: number) => ({ seq, session: "s", at: "", type: "job_ended" }) as AnyEvent;
const shown = (id: string) => useFleet.getState().sessions[id];
const titled = (seq: number, title: string) => session({ seq, title });

beforeEach(() => void takeFleet({ topic: "fleet", begins: true, upto: 0 }, []));

test("the inbox has the most blocking first, then the oldest", () => {
  const items = [item("p", "plan", "1"), item("q2", "question", "3"), item("q1", "question", "2")];
  const found = inbox([
    session({ attention: items }),
    session({ attention: [item("r", "permission", "9")] }),
  ]);
  expect(found.map((each) => each.id)).toEqual(["r", "q1", "q2", "p"]);
});

test("of an answer and what is told the newer holds, in whichever order they come", () => {
  takeFleet({ topic: "fleet", upto: 5, views: [titled(5, "old")] }, []);
  putSession(titled(9, "answered"));
  takeFleet({ topic: "fleet", upto: 8, views: [titled(8, "on its way since before")] }, []);
  expect(shown("s")?.title).toBe("answered");
  takeFleet({ topic: "fleet", upto: 12, views: [titled(12, "newest")] }, []);
  putSession(titled(11, "a late answer"));
  expect(shown("s")?.title).toBe("newest");
});

test("a fleet that begins is whole, and what was removed is gone", () => {
  const both = [titled(3, "stays"), session({ id: "t", seq: 3 })];
  takeFleet({ topic: "fleet", upto: 3, views: both }, []);
  takeFleet({ topic: "fleet", upto: 4, gone: ["t"] }, []);
  expect(Object.keys(useFleet.getState().sessions)).toEqual(["s"]);
  takeFleet({ topic: "fleet", begins: true, upto: 6, views: [session({ id: "u", seq: 6 })] }, []);
  expect(Object.keys(useFleet.getState().sessions)).toEqual(["u"]);
  expect(fleetKnown()).toBe(6);
});

test("news that was told before is none", () => {
  expect(takeFleet({ topic: "fleet", upto: 5 }, [event(4), event(5)])).toHaveLength(2);
  const news = takeFleet({ topic: "fleet", upto: 7 }, [event(5), event(7)]);
  expect(news.map(({ seq }) => seq)).toEqual([7]);
});
