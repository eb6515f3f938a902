/**
 * One terminal's socket, however often it breaks: each time it opens the screen is drawn anew.
 *
 * What is typed while it is away is kept, a little of it, and typed once the screen is there. A
 * terminal that has exited is not asked for again.
 */

import { Drawn } from "./drawn";
import {
  ackText,
  type FromHub,
  heard,
  isSameSize,
  type ScreenFrame,
  type Size,
  sizeText,
} from "./protocol";

export interface TerminalWire {
  onopen: (() => void) | null;
  onclose: (() => void) | null;
  onmessage: ((event: { data: string | ArrayBuffer }) => void) | null;
  send(data: string | Uint8Array<ArrayBuffer>): void;
  close(): void;
}

export interface TerminalListener {
  /** Calls `drawn` once the bytes stand on the screen. */
  screen(frame: ScreenFrame, bytes: Uint8Array, drawn: () => void): void;
  bytes(bytes: Uint8Array, drawn: () => void): void;
  told(frame: Exclude<FromHub, ScreenFrame>): void;
  away(): void;
}

const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 8000;
const MOST_HELD = 4096;
/** Of what is pasted, in one frame. */
const MOST_SENT = 16 * 1024;

export class TerminalSocket {
  private wire: TerminalWire | null = null;
  /** The same, already before it is open. */
  private coming: TerminalWire | null = null;
  private awaited: ScreenFrame | null = null;
  private isDrawn = false;
  private held: Uint8Array<ArrayBuffer>[] = [];
  private drawn = new Drawn();
  private failures = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Counts what was started, so that a late connection knows that it is not wanted any more. */
  private run = 0;
  private isOver = false;

  constructor(
    private readonly connect: (size: Size) => Promise<TerminalWire>,
    private size: Size,
    private readonly listener: TerminalListener,
  ) {}

  start(): void {
    this.stop();
    this.isOver = false;
    void this.open(this.run);
  }

  stop(): void {
    this.run++;
    clearTimeout(this.timer);
    this.timer = undefined;
    this.coming?.close();
    this.coming = null;
    this.wire = null;
    this.isDrawn = false;
  }

  /** Tries again at once: the hub is there again. */
  hurry(): void {
    if (this.timer === undefined) return;
    clearTimeout(this.timer);
    this.timer = undefined;
    void this.open(this.run);
  }

  type(bytes: Uint8Array<ArrayBuffer>): void {
    if (this.isOver) return;
    if (this.wire === null || !this.isDrawn) {
      const sum = this.held.reduce((all, { length }) => all + length, bytes.length);
      if (sum <= MOST_HELD) this.held.push(bytes);
      return;
    }
    for (let at = 0; at < bytes.length; at += MOST_SENT)
      this.wire.send(bytes.slice(at, at + MOST_SENT));
  }

  fit(size: Size): void {
    if (isSameSize(size, this.size)) return;
    this.size = size;
    this.wire?.send(sizeText(size));
  }

  private async open(run: number): Promise<void> {
    try {
      const asked = this.size;
      const wire = await this.connect(asked);
      if (run === this.run) this.attach(wire, asked, run);
      else wire.close();
    } catch {
      if (run === this.run) this.lost(run);
    }
  }

  private attach(wire: TerminalWire, asked: Size, run: number): void {
    this.coming = wire;
    wire.onopen = () => {
      if (run !== this.run) return;
      this.wire = wire;
      if (!isSameSize(asked, this.size)) wire.send(sizeText(this.size));
    };
    wire.onmessage = ({ data }) => run === this.run && this.receive(data);
    wire.onclose = () => run === this.run && this.lost(run);
  }

  private receive(data: string | ArrayBuffer): void {
    if (typeof data !== "string") return this.draw(new Uint8Array(data));
    const frame = heard(data);
    if (frame?.type === "screen") this.awaited = frame;
    else if (frame !== null) {
      this.isOver = frame.type === "exit";
      this.listener.told(frame);
    }
  }

  private draw(bytes: Uint8Array): void {
    const frame = this.awaited;
    this.awaited = null;
    const screen = frame === null ? this.drawn.current : this.drawn.begin();
    const done = () => {
      const more = this.drawn.note(screen, bytes.length);
      if (more !== null) this.wire?.send(ackText(more));
    };
    if (frame === null) return this.listener.bytes(bytes, done);
    this.failures = 0;
    this.listener.screen(frame, bytes, () => {
      done();
      if (screen === this.drawn.current) this.ready();
    });
  }

  private ready(): void {
    this.isDrawn = true;
    const held = this.held;
    this.held = [];
    for (const bytes of held) this.type(bytes);
  }

  private lost(run: number): void {
    this.wire = null;
    this.isDrawn = false;
    if (this.isOver) return;
    this.listener.away();
    const delay = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** this.failures++);
    this.timer = setTimeout(
      () => {
        this.timer = undefined;
        void this.open(run);
      },
      delay * (0.75 + Math.random() / 2),
    );
  }
}
