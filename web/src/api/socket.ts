/**
 * The one socket: every event once and in order, however often the connection breaks.
 *
 * The number of the last event seen is the place to resume from. Until the first event there is
 * no such place, so a connection opened without one reports `resumed: false`, and whoever keeps
 * state must load it anew.
 */

import type { AnyEvent, AnyLive } from "./types.gen";

export type Frame = AnyEvent | AnyLive;
export type Connection = "connecting" | "open" | "away";

export interface SocketListener {
  frames(frames: readonly Frame[]): void;
  opened(resumed: boolean): void;
  changed(connection: Connection): void;
  refused(): void;
}

export interface Wire {
  onopen: (() => void) | null;
  onclose: ((event: { code: number }) => void) | null;
  onmessage: ((event: { data: string }) => void) | null;
  send(text: string): void;
  close(): void;
}

const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 8000;
const TOKEN_REVOKED = 4001;

export class EventSocket {
  private wire: Wire | null = null;
  private last: number | null = null;
  private failures = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private stopped = false;
  private looking: readonly string[] = [];

  constructor(
    private readonly connect: (after: number | null) => Promise<Wire>,
    private readonly listener: SocketListener,
  ) {}

  async start(): Promise<void> {
    const after = this.last;
    this.stopped = false;
    try {
      const wire = await this.connect(after);
      if (this.stopped) wire.close();
      else this.attach(wire, after !== null);
    } catch {
      this.retry();
    }
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
    this.wire?.close();
    this.wire = null;
  }

  /** Tries again at once, for a page that woke up or got its network back. */
  hurry(): void {
    if (this.wire !== null || this.stopped || this.timer === undefined) return;
    clearTimeout(this.timer);
    this.timer = undefined;
    void this.start();
  }

  /** What is on this person's screen: the hub keeps watching those sessions' files. */
  look(sessions: readonly string[]): void {
    this.looking = sessions;
    this.sendLook();
  }

  private sendLook(): void {
    this.wire?.send(JSON.stringify({ look: this.looking }));
  }

  private attach(wire: Wire, resumed: boolean): void {
    wire.onopen = () => {
      this.wire = wire;
      this.failures = 0;
      this.listener.changed("open");
      this.sendLook();
      this.listener.opened(resumed);
    };
    wire.onmessage = ({ data }) => this.receive(JSON.parse(data) as Frame[]);
    wire.onclose = ({ code }) => {
      this.wire = null;
      if (code === TOKEN_REVOKED) this.listener.refused();
      else if (!this.stopped) this.retry();
    };
  }

  private receive(frames: readonly Frame[]): void {
    const fresh = frames.filter((frame) => "live" in frame || this.isNew(frame));
    if (fresh.length > 0) this.listener.frames(fresh);
  }

  private isNew(event: AnyEvent): boolean {
    if (this.last !== null && event.seq <= this.last) return false;
    this.last = event.seq;
    return true;
  }

  private retry(): void {
    if (this.stopped) return;
    this.listener.changed("away");
    const delay = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** this.failures++);
    this.timer = setTimeout(
      () => {
        this.timer = undefined;
        void this.start();
      },
      delay * (0.75 + Math.random() / 2),
    );
  }
}
