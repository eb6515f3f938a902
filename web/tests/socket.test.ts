import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Connection, EventSocket, type Frame, type Wire } from "../src/api/socket";

class Line implements Wire {
  onopen: Wire["onopen"] = null;
  onclose: Wire["onclose"] = null;
  onmessage: Wire["onmessage"] = null;
  sent: string[] = [];
  constructor(readonly after: number | null) {}
  send(text: string): void {
    this.sent.push(text);
  }
  close(): void {}
  tell(...seqs: number[]): void {
    const frames = seqs.map((seq) => ({ seq, session: "s", at: "", type: "session_read" }));
    this.onmessage?.({ data: JSON.stringify(frames) });
  }
}

const lines: Line[] = [];
const seen: number[] = [];
const states: Connection[] = [];
const opened: boolean[] = [];
let refused = 0;

function socket(): EventSocket {
  return new EventSocket(
    async (after) => {
      const line = new Line(after);
      lines.push(line);
      return line;
    },
    {
      frames: (frames: readonly Frame[]) =>
        seen.push(...frames.map((frame) => ("seq" in frame ? frame.seq : -1))),
      opened: (resumed) => opened.push(resumed),
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
  for (const list of [lines, seen, states, opened]) list.length = 0;
  refused = 0;
});
afterEach(() => vi.useRealTimers());

test("a broken connection resumes after the last event, with no gap and no double", async () => {
  await socket().start();
  line(0).onopen?.();
  line(0).tell(4, 7);
  line(0).onclose?.({ code: 1006 });
  await vi.advanceTimersByTimeAsync(1000);
  expect(line(1).after).toBe(7);
  line(1).onopen?.();
  line(1).tell(7, 8);
  expect(seen).toEqual([4, 7, 8]);
  expect(opened).toEqual([false, true]);
  expect(states).toEqual(["open", "away", "open"]);
});

test("a connection that never saw an event cannot resume, and says so", async () => {
  await socket().start();
  line(0).onopen?.();
  line(0).onclose?.({ code: 1006 });
  await vi.advanceTimersByTimeAsync(1000);
  line(1).onopen?.();
  expect(opened).toEqual([false, false]);
});

test("what is looked at is told again on every connection", async () => {
  const events = socket();
  await events.start();
  line(0).onopen?.();
  events.look(["s"]);
  line(0).onclose?.({ code: 4008 });
  await vi.advanceTimersByTimeAsync(1000);
  line(1).onopen?.();
  expect(line(1).sent).toEqual(['{"look":["s"]}']);
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
