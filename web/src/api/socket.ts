/**
 * The one socket: the topics that the page follows, however often the connection breaks.
 *
 * Whenever a connection opens or the wishes change, all of them are said, each topic with the
 * number up to which it is known; the hub tells only what lies beyond. What comes of a topic
 * before it begins was meant for an earlier wish, and is let go.
 */

import { unpack } from "./binary";
import { type AnyEvent, type AnyLive, type Piece, REVOKED, type Wishes } from "./types.gen";

export type Frame = AnyEvent | AnyLive;
export type Connection = "connecting" | "open" | "away";

export interface SocketListener {
  told(pieces: readonly Piece[]): void;
  bytes?(topic: string, payload: Uint8Array): void;
  opened(): void;
  changed(connection: Connection): void;
  refused(): void;
}

export interface Wire {
  onopen: (() => void) | null;
  onclose: ((event: { code: number }) => void) | null;
  onmessage: ((event: { data: string | ArrayBuffer }) => void) | null;
  send(text: string): void;
  close(): void;
}

const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 8000;

export class EventSocket {
  private wire: Wire | null = null;
  private failures = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private stopped = false;
  /** The topics that the hub knows of, and whether each has begun. */
  private following = new Map<string, boolean>();

  constructor(
    private readonly connect: () => Promise<Wire>,
    private readonly wishes: () => Required<Wishes>,
    private readonly listener: SocketListener,
  ) {}

  async start(): Promise<void> {
    this.stopped = false;
    try {
      const wire = await this.connect();
      if (this.stopped) wire.close();
      else this.attach(wire);
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

  /** Tells the hub what is wished now. */
  say(): void {
    if (this.wire === null) return;
    const wishes = this.wishes();
    const before = this.following;
    this.following = new Map(
      Object.keys(wishes.topics).map((topic) => [topic, before.get(topic) ?? false]),
    );
    this.wire.send(JSON.stringify(wishes));
  }

  private attach(wire: Wire): void {
    wire.onopen = () => {
      this.wire = wire;
      this.failures = 0;
      this.following.clear();
      this.listener.changed("open");
      this.say();
      this.listener.opened();
    };
    wire.onmessage = ({ data }) => this.receive(data);
    wire.onclose = ({ code }) => {
      this.wire = null;
      if (code === REVOKED) this.listener.refused();
      else if (!this.stopped) this.retry();
    };
  }

  private receive(data: string | ArrayBuffer): void {
    if (typeof data !== "string") {
      const [topic, payload] = unpack(new Uint8Array(data));
      if (this.following.has(topic)) this.listener.bytes?.(topic, payload);
      return;
    }
    const pieces = (JSON.parse(data) as Piece[]).filter((piece) => this.isWished(piece));
    if (pieces.length > 0) this.listener.told(pieces);
  }

  private isWished({ topic, begins = false }: Piece): boolean {
    const begun = this.following.get(topic);
    if (begun === undefined) return false;
    if (begins) this.following.set(topic, true);
    return begun || begins;
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
