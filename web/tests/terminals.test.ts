import { describe, expect, it, vi } from "vitest";
import { Order } from "../src/places/terminals/screen/order";
import { isAnswer } from "../src/state/terminals/answers";
import { Drawn } from "../src/state/terminals/drawn";
import { habitOf, withCtrl } from "../src/state/terminals/habits";
import { linksIn, meantPath } from "../src/state/terminals/links";
import { copiedBy, pasteable } from "../src/state/terminals/paste";
import { clamped, heard, sizeText } from "../src/state/terminals/protocol";
import { TerminalSocket, type TerminalWire } from "../src/state/terminals/terminalSocket";

const ESC = "\u001b";
const bytes = (text: string) => new TextEncoder().encode(text);

describe("what hub and page say", () => {
  it("is heard where its type is known", () => {
    expect(heard('{"type":"size","rows":5,"columns":9}')).toMatchObject({ rows: 5, columns: 9 });
    expect(heard('{"type":"later","what":1}')).toBeNull();
  });
  it("never asks for a size that no terminal has", () => {
    expect(clamped({ rows: 1, columns: 10_000 })).toEqual({ rows: 10, columns: 1000 });
    expect(JSON.parse(sizeText({ rows: 30, columns: 90 }))).toEqual({
      type: "size",
      rows: 30,
      columns: 90,
    });
  });
});

describe("the bytes that were drawn", () => {
  it("are told in steps, each byte once", () => {
    const drawn = new Drawn();
    const screen = drawn.begin();
    expect(drawn.note(screen, 10_000)).toBeNull();
    expect(drawn.note(screen, 10_000)).toBe(20_000);
    expect(drawn.note(screen, 100)).toBeNull();
    expect(drawn.note(screen, 20_000)).toBe(20_100);
  });
  it("of an earlier screen do not count", () => {
    const drawn = new Drawn();
    const before = drawn.begin();
    const screen = drawn.begin();
    expect(drawn.note(before, 50_000)).toBeNull();
    expect(drawn.note(screen, 16_384)).toBe(16_384);
  });
});

describe("what a terminal says by itself", () => {
  it.each([
    `${ESC}[?1;2c`,
    `${ESC}[>0;276;0c`,
    `${ESC}[0n`,
    `${ESC}[12;40R`,
    `${ESC}[?2026;2$y`,
    `${ESC}]11;rgb:1717/1818/1b1b${ESC}\\`,
    `${ESC}P1$r0m${ESC}\\`,
  ])("is an answer: %j", (data) => expect(isAnswer(data)).toBe(true));
  it.each([
    "a",
    `${ESC}`,
    `${ESC}[A`,
    `${ESC}OA`,
    `${ESC}[3~`,
    `${ESC}[200~x${ESC}[201~`,
    "ls\r",
  ])("is none if a person typed it: %j", (data) => expect(isAnswer(data)).toBe(false));
});

describe("pasted text", () => {
  it("cannot end its own bracket, however the marker is hidden", () => {
    expect(pasteable(`a${ESC}[201~b`)).toBe("ab");
    expect(pasteable(`a${ESC}[20${ESC}[201~1~b`)).toBe("ab");
    expect(pasteable("a\u009b201~b")).toBe("ab");
    expect(pasteable("two\nlines")).toBe("two\nlines");
  });
  it("is taken from a program, and never given to one", () => {
    expect(copiedBy(`c;${btoa("hello")}`)).toBe("hello");
    expect(copiedBy("c;?")).toBeNull();
    expect(copiedBy("c;***")).toBeNull();
    expect(copiedBy("c;")).toBeNull();
  });
});

const press = (key: string, held: string, code = "") => ({
  key,
  code,
  ctrlKey: held.includes("c"),
  metaKey: held.includes("m"),
  altKey: held.includes("a"),
  shiftKey: held.includes("s"),
});

describe("a key in a terminal", () => {
  const usual = { mac: false, selected: false, wholeScreen: false };
  it.each([
    ["c", "c", usual, "program"],
    ["c", "c", { ...usual, selected: true }, "copy"],
    ["C", "cs", usual, "copy"],
    ["V", "cs", usual, "paste"],
    ["v", "c", usual, "program"],
    ["f", "c", usual, "search"],
    ["f", "c", { ...usual, wholeScreen: true }, "program"],
    ["F", "cs", { ...usual, wholeScreen: true }, "search"],
    ["ArrowUp", "cs", usual, "page"],
    ["n", "", usual, "program"],
    ["c", "m", { ...usual, mac: true }, "copy"],
    ["v", "m", { ...usual, mac: true }, "paste"],
    ["f", "m", { ...usual, mac: true }, "search"],
    ["f", "c", { ...usual, mac: true }, "program"],
    ["c", "c", { ...usual, mac: true, selected: true }, "program"],
  ])("%s with %j is for whom it should be", (key, held, situation, whose) =>
    expect(habitOf(press(key, held), situation)).toBe(whose));
  it("of the drawer is the page's on every keyboard", () =>
    expect(habitOf(press("^", "c", "Backquote"), usual)).toBe("page"));
  it("is typed with the Ctrl that a phone holds", () => {
    expect(withCtrl("c")).toBe("\u0003");
    expect(withCtrl("[")).toBe(ESC);
    expect(withCtrl("1")).toBe("1");
    expect(withCtrl("pasted")).toBe("pasted");
  });
});

describe("a link in a line", () => {
  const found = (line: string) =>
    linksIn(line).map((link) =>
      link.kind === "web" ? link.url : `${link.path}:${link.line}@${link.start}-${link.end}`,
    );
  it("is a web address without what ends the sentence", () => {
    expect(found("See http://localhost:5173/a(b)?c=1.")).toEqual([
      "http://localhost:5173/a(b)?c=1",
    ]);
    expect(found("(https://example.org/x), next")).toEqual(["https://example.org/x"]);
    expect(found("javascript:alert(1) file:///etc/passwd")).toEqual([]);
  });
  it("is a file and its line, as compilers, tests and Python write it", () => {
    expect(found("src/a.ts:12:5 - error")).toEqual(["src/a.ts:12@0-13"]);
    expect(found("  src/a.ts(3,4): error")).toEqual(["src/a.ts:3@2-15"]);
    expect(found('  File "/w/t/app.py", line 7, in main')).toEqual(["/w/t/app.py:7@2-28"]);
    expect(found("FAILED tests/test_x.py:41: AssertionError")).toEqual(["tests/test_x.py:41@7-25"]);
    expect(found("./bin/Makefile:3")).toEqual(["./bin/Makefile:3@0-16"]);
  });
  it("is no time, no version and no port", () => {
    expect(found("at 12:30:05 v1.2:3 localhost:8080 ratio 3:4")).toEqual([]);
  });
  it("stays quick on a long line", () => {
    expect(found("a/".repeat(40_000))).toEqual([]);
    expect(found("a".repeat(80_000))).toEqual([]);
  });
  it("means a file of the worktree, seen from a folder in it too", () => {
    const paths = ["src/a.ts", "web/src/b.ts", "x/c.ts", "y/c.ts"];
    expect(meantPath("/w/src/a.ts", "/w", paths)).toBe("src/a.ts");
    expect(meantPath("./src/a.ts", "/w", paths)).toBe("src/a.ts");
    expect(meantPath("src/b.ts", "/w", paths)).toBe("web/src/b.ts");
    expect(meantPath("../src/b.ts", "/w", paths)).toBe("web/src/b.ts");
    expect(meantPath("c.ts", "/w", paths)).toBe("c.ts");
  });
});

describe("steps in their order", () => {
  it("wait for what takes its time, and are forgotten when all begins anew", () => {
    const order = new Order();
    const done: string[] = [];
    let go = () => {};
    order.wait((on) => {
      go = on;
    });
    order.next(() => done.push("one"));
    expect(done).toEqual([]);
    go();
    expect(done).toEqual(["one"]);
    order.wait((on) => {
      go = on;
    });
    order.next(() => done.push("stale"));
    order.clear();
    order.next(() => done.push("two"));
    go();
    expect(done).toEqual(["one", "two"]);
  });
});

class FakeWire implements TerminalWire {
  onopen: (() => void) | null = null;
  onclose: (() => void) | null = null;
  onmessage: ((event: { data: string | ArrayBuffer }) => void) | null = null;
  sent: (string | Uint8Array)[] = [];
  closed = false;
  send(data: string | Uint8Array): void {
    this.sent.push(data);
  }
  close(): void {
    this.closed = true;
  }
  say(frame: object): void {
    this.onmessage?.({ data: JSON.stringify(frame) });
  }
  give(text: string): void {
    this.onmessage?.({ data: bytes(text).buffer as ArrayBuffer });
  }
  get typed(): string {
    return this.sent
      .filter((one): one is Uint8Array => typeof one !== "string")
      .map((one) => new TextDecoder().decode(one))
      .join("");
  }
}

const SCREEN = { type: "screen", rows: 24, columns: 80, title: "", offset: 0 };

function opened() {
  const wires: FakeWire[] = [];
  const drawn: string[] = [];
  const told: string[] = [];
  const text = new TextDecoder();
  const socket = new TerminalSocket(
    async () => {
      wires.push(new FakeWire());
      return wires.at(-1) as FakeWire;
    },
    { rows: 24, columns: 80 },
    {
      screen: (_, data, done) => {
        drawn.push(`screen ${text.decode(data)}`);
        done();
      },
      bytes: (data, done) => {
        drawn.push(data.length > 99 ? `${data.length}` : text.decode(data));
        done();
      },
      told: ({ type }) => told.push(type),
      away: () => told.push("away"),
    },
  );
  return { socket, wires, drawn, told };
}

async function opening(wires: readonly FakeWire[]): Promise<void> {
  const count = wires.length;
  await vi.waitFor(() => expect(wires[count - 1]?.onopen ?? wires[count]?.onopen).toBeTruthy());
  wires.at(-1)?.onopen?.();
}

describe("a terminal's socket", () => {
  it("draws the screen first, then what follows, and tells how much was drawn", async () => {
    const { socket, wires, drawn } = opened();
    socket.start();
    await opening(wires);
    wires[0]?.say(SCREEN);
    wires[0]?.give("old");
    wires[0]?.give("new");
    wires[0]?.give("x".repeat(20_000));
    expect(drawn).toEqual(["screen old", "new", "20000"]);
    expect(wires[0]?.sent).toEqual([JSON.stringify({ type: "ack", bytes: 20_006 })]);
  });
  it("keeps what is typed while it is away, a little of it, until the screen is there", async () => {
    vi.useFakeTimers();
    const { socket, wires, told } = opened();
    socket.start();
    await vi.advanceTimersByTimeAsync(0);
    wires[0]?.onopen?.();
    wires[0]?.say(SCREEN);
    wires[0]?.give("");
    socket.type(bytes("a"));
    wires[0]?.onclose?.();
    expect(told).toEqual(["away"]);
    socket.type(bytes("b"));
    socket.type(bytes("x".repeat(5000)));
    await vi.advanceTimersByTimeAsync(400);
    expect(wires).toHaveLength(2);
    wires[1]?.onopen?.();
    expect(wires[1]?.typed).toBe("");
    wires[1]?.say(SCREEN);
    wires[1]?.give("");
    socket.type(bytes("c"));
    expect([wires[0]?.typed, wires[1]?.typed]).toEqual(["a", "bc"]);
    vi.useRealTimers();
  });
  it("is not opened again once its program has ended", async () => {
    vi.useFakeTimers();
    const { socket, wires, told } = opened();
    socket.start();
    await vi.advanceTimersByTimeAsync(0);
    wires[0]?.onopen?.();
    wires[0]?.say({ type: "exit", exit_code: 0, seconds: 1 });
    wires[0]?.onclose?.();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(told).toEqual(["exit"]);
    expect(wires).toHaveLength(1);
    vi.useRealTimers();
  });
  it("that was stopped on its way is closed as it comes", async () => {
    const { socket, wires } = opened();
    socket.start();
    socket.stop();
    await vi.waitFor(() => expect(wires[0]?.closed).toBe(true));
  });
  it("says what fits here once, also if it changed on the way", async () => {
    const { socket, wires } = opened();
    socket.start();
    socket.fit({ rows: 30, columns: 100 });
    expect(wires[0]?.sent ?? []).toEqual([]);
    await opening(wires);
    socket.fit({ rows: 30, columns: 100 });
    expect(wires[0]?.sent).toEqual([sizeText({ rows: 30, columns: 100 })]);
  });
});
