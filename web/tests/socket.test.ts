import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { pack, unpack } from "../src/api/binary";
import { type Connection, EventSocket, type Wire } from "../src/api/socket";
import type { Piece } from "../src/api/types.gen";

class Line implements Wire {
  onopen: Wire["onopen"] = null;
  onclose: Wire["onclose"] = null;
  onmessage: Wire["onmessage"] = null;
  sent: string[] = [];
  send(text: string): void {
    this.sent.push(text);
  }
  close(): void {}
  tell(...pieces: Piece[]): void {
    this.onmessage?.({ data: JSON.stringify(pieces) });
  }
}

const lines: Line[] = [];
const seen: Piece[] = [];
const bytes: [string, number[]][] = [];
const states: Connection[] = [];
let topics: Record<string, number> = {};
let look: string[] = [];
let opened = 0;
let refused = 0;

function socket(): EventSocket {
  return new EventSocket(
    async () => {
      const line = new Line();
      lines.push(line);
      return line;
    },
    () => ({ look, topics }),
    {
      told: (pieces) => seen.push(...pieces),
      bytes: (topic, payload) => bytes.push([topic, [...payload]]),
      opened: () => opened++,
      changed: (state) => states.push(state),
      refused: () => refused++,
    },
  );
}

function line(place: number): Line {
  const found = lines[place];
  if (found === undefined) throw new Error(`no connection ${place}`);
  return found;
}

beforeEach(() => {
  vi.useFakeTimers();
  for (const list of [lines, seen, bytes, states]) list.length = 0;
  [topics, look, opened, refused] = [{}, [], 0, 0];
});
afterEach(() => vi.useRealTimers());

test("a broken connection asks for each topic from where it is known", async () => {
  topics = { fleet: 0, "session/a": 0 };
  look = ["a"];
  await socket().start();
  line(0).onopen?.();
  topics = { fleet: 7, "session/a": 4 };
  line(0).onclose?.({ code: 4008 });
  await vi.advanceTimersByTimeAsync(1000);
  line(1).onopen?.();
  expect(line(1).sent).toEqual(['{"look":["a"],"topics":{"fleet":7,"session/a":4}}']);
  expect(opened).toBe(2);
  expect(states).toEqual(["open", "away", "open"]);
});

test("what comes of a topic before it begins was meant for an earlier wish", async () => {
  const events = socket();
  topics = { "session/a": 0 };
  await events.start();
  line(0).onopen?.();
  line(0).tell({ topic: "session/a", begins: true }, { topic: "session/a" });
  topics = {};
  events.say();
  line(0).tell({ topic: "session/a", past: true });
  topics = { "session/a": 0 };
  events.say();
  line(0).tell({ topic: "session/a", past: true });
  expect(seen).toHaveLength(2);
  line(0).tell({ topic: "session/a", begins: true }, { topic: "session/a" });
  expect(seen).toHaveLength(4);
});

test("a topic that is still wished for does not begin again", async () => {
  const events = socket();
  topics = { fleet: 0 };
  await events.start();
  line(0).onopen?.();
  line(0).tell({ topic: "fleet", begins: true });
  topics = { fleet: 3, "glance/b": 0 };
  events.say();
  line(0).tell({ topic: "fleet" }, { topic: "glance/b" });
  expect(seen.map(({ topic }) => topic)).toEqual(["fleet", "fleet"]);
});

test("bytes come with their topic, and only where it is followed", async () => {
  topics = { "term/ü": 0 };
  await socket().start();
  line(0).onopen?.();
  for (const topic of ["term/ü", "term/x"]) {
    const frame = pack(topic, new Uint8Array([0, 255, 91]));
    line(0).onmessage?.({ data: frame.buffer as ArrayBuffer });
  }
  expect(bytes).toEqual([["term/ü", [0, 255, 91]]]);
});

test("a binary frame is as the hub makes it", () => {
  const text = "\u0007term/\u00c3\u00bc\u0000\u00ff[1m";
  const frame = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
  const [topic, payload] = unpack(frame);
  expect(topic).toBe("term/ü");
  expect([...payload]).toEqual([0, 255, 91, 49, 109]);
  expect(pack(topic, payload)).toEqual(frame);
});

test("a revoked token ends it for good", async () => {
  await socket().start();
  line(0).onopen?.();
  line(0).onclose?.({ code: 4001 });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(refused).toBe(1);
  expect(lines).toHaveLength(1);
});

test("a page that wakes up does not wait for the next try", async () => {
  const events = socket();
  await events.start();
  line(0).onopen?.();
  line(0).onclose?.({ code: 1006 });
  events.hurry();
  await vi.advanceTimersByTimeAsync(0);
  expect(lines).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(lines).toHaveLength(2);
});
