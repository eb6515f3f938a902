/**
 * One terminal on the page: xterm.js, and the socket whose bytes it draws.
 *
 * Its size is what the hub says, the smallest of all who type; to the hub goes what would fit here.
 * While a screen is drawn anew nothing that the emulator says by itself is sent.
 */

import { FitAddon } from "@xterm/addon-fit";
import { SearchAddon } from "@xterm/addon-search";
import { Unicode11Addon } from "@xterm/addon-unicode11";
import { Terminal } from "@xterm/xterm";
import { isAnswer } from "../../../state/terminals/answers";
import type { Found } from "../../../state/terminals/links";
import { copiedBy, pasteable } from "../../../state/terminals/paste";
import {
  clamped,
  type FromHub,
  type ScreenFrame,
  type Size,
} from "../../../state/terminals/protocol";
import { TerminalSocket, type TerminalWire } from "../../../state/terminals/terminalSocket";
import { contrast, monospace, onLook, theme } from "./colours";
import { drawFast } from "./fast";
import { linkProvider } from "./lines";
import { Order } from "./order";
import { keepPolicy } from "./policy";

const SCROLLBACK = 5000;
const FIT_AFTER_MS = 60;
/** What was begun is dropped, and everything is as in a new terminal. */
const RESET = Uint8Array.from([0x18, 0x1b, 0x63]);
/** Of the whole buffer; more would be counted, not marked. */
const MOST_MARKED = 1000;

export interface Looks {
  readonly reader: boolean;
  readonly size: number;
}

export interface ScreenHost {
  readonly connect: (size: Size) => Promise<TerminalWire>;
  readonly watch: boolean;
  readonly told: (frame: Exclude<FromHub, ScreenFrame>) => void;
  /** The screen stands as it is, or the hub is away. */
  readonly live: (live: boolean) => void;
  readonly link: (link: Found) => void;
  /** Whether the key was not the program's. */
  readonly key: (event: KeyboardEvent) => boolean;
  /** What is typed, as it is meant: a phone's Ctrl may be held. */
  readonly typed: (data: string) => string;
  readonly copied: (text: string) => void;
}

export class Screen {
  readonly term: Terminal;
  readonly search = new SearchAddon({ highlightLimit: MOST_MARKED });
  private readonly fit = new FitAddon();
  private readonly socket: TerminalSocket;
  private readonly undo: (() => void)[] = [];
  private fitting: ReturnType<typeof setTimeout> | undefined;
  private readonly order = new Order();
  /** The screen that is being drawn. */
  private drawing: ScreenFrame | null = null;
  private isOver = false;
  private viewers = 1;

  constructor(
    private readonly element: HTMLElement,
    looks: Looks,
    private readonly host: ScreenHost,
  ) {
    keepPolicy();
    this.term = new Terminal({
      allowProposedApi: true,
      cursorBlink: false,
      cursorInactiveStyle: "outline",
      disableStdin: host.watch,
      fontFamily: monospace(),
      fontSize: looks.size,
      lineHeight: 1.25,
      scrollback: SCROLLBACK,
      screenReaderMode: looks.reader,
      theme: theme(),
      minimumContrastRatio: contrast(),
      linkHandler: {
        activate: (_, url) => this.activate({ kind: "web", url, start: 0, end: 0 }),
      },
    });
    this.furnish();
    this.term.open(element);
    void drawFast(this.term);
    this.socket = new TerminalSocket(host.connect, this.room(), {
      screen: (frame, bytes, drawn) => this.draw(frame, bytes, drawn),
      bytes: (bytes, drawn) => this.order.next(() => this.term.write(bytes, drawn)),
      told: (frame) => this.take(frame),
      away: () => host.live(false),
    });
    this.listen();
  }

  start = (): void => this.socket.start();
  stop = (): void => this.socket.stop();
  hurry = (): void => this.socket.hurry();
  focus = (): void => this.term.focus();

  /** Types what a button or the clipboard gives. */
  type(data: string): void {
    this.term.input(data);
  }

  paste(text: string): void {
    if (!this.host.watch) this.term.paste(pasteable(text));
  }

  look({ reader, size }: Looks): void {
    this.term.options.screenReaderMode = reader;
    this.term.options.fontSize = size;
    this.fitSoon();
  }

  dispose(): void {
    clearTimeout(this.fitting);
    this.socket.stop();
    for (const end of this.undo) end();
    this.term.dispose();
  }

  private furnish(): void {
    const { term, host } = this;
    term.loadAddon(new Unicode11Addon());
    term.unicode.activeVersion = "11";
    term.loadAddon(this.fit);
    term.loadAddon(this.search);
    term.attachCustomKeyEventHandler((event) => !host.key(event));
    term.registerLinkProvider(linkProvider(term, (link) => this.activate(link)));
    // What a program may put on the clipboard; what is there it is never told.
    term.parser.registerOscHandler(52, (sequence) => {
      const text = copiedBy(sequence);
      if (text !== null && this.drawing === null && this.hasFocus()) host.copied(text);
      return true;
    });
  }

  private listen(): void {
    const { term, element } = this;
    const encoder = new TextEncoder();
    term.onData((data) => {
      if (this.host.watch || (isAnswer(data) && !this.mayAnswer())) return;
      this.socket.type(encoder.encode(this.host.typed(data)));
    });
    term.onBinary((data) => {
      if (!this.host.watch) this.socket.type(Uint8Array.from(data, (one) => one.charCodeAt(0)));
    });
    const paste = (event: ClipboardEvent) => {
      event.preventDefault();
      event.stopPropagation();
      this.paste(event.clipboardData?.getData("text/plain") ?? "");
    };
    element.addEventListener("paste", paste, true);
    const room = new ResizeObserver(() => this.fitSoon());
    room.observe(element);
    const shade = onLook(() => {
      term.options.theme = theme();
      term.options.minimumContrastRatio = contrast();
    });
    this.undo.push(
      () => element.removeEventListener("paste", paste, true),
      () => room.disconnect(),
      shade,
    );
  }

  /** A query is answered once, by whoever is typing; what an old screen asked, by nobody. */
  private mayAnswer(): boolean {
    if (this.drawing !== null) return false;
    return this.viewers < 2 || (this.hasFocus() && document.hasFocus());
  }

  private hasFocus(): boolean {
    return this.element.contains(document.activeElement);
  }

  /** A press that ends a selection is none on a link. */
  private activate(link: Found): void {
    if (!this.term.hasSelection()) this.host.link(link);
  }

  private draw(frame: ScreenFrame, bytes: Uint8Array, drawn: () => void): void {
    const { active } = this.term.buffer;
    const above = active.baseY - active.viewportY;
    this.drawing = frame;
    this.order.clear();
    this.resize(frame, RESET);
    this.order.next(() =>
      this.term.write(bytes, () => {
        if (this.drawing !== frame) return;
        this.drawing = null;
        if (above > 0) this.term.scrollLines(-above);
        drawn();
        this.host.live(true);
      }),
    );
  }

  private take(frame: Exclude<FromHub, ScreenFrame>): void {
    if (frame.type === "size") this.resize(frame);
    // What has ended has nobody else to suit.
    if (frame.type === "exit") this.resize(this.room());
    this.isOver ||= frame.type === "exit";
    if (frame.type === "viewers") this.viewers = frame.viewers;
    this.host.told(frame);
  }

  /** In its place among the bytes: xterm.js would draw all that it has first, at the old size. */
  private resize({ rows, columns }: Size, before: Uint8Array | string = ""): void {
    this.order.wait((done) =>
      this.term.write(before, () => {
        this.term.resize(columns, rows);
        this.markSmall();
        done();
      }),
    );
  }

  /** Where another viewer has less room, its edge is drawn. */
  private markSmall(): void {
    const { rows, columns } = this.room();
    this.element.dataset.small = `${this.term.rows < rows || this.term.cols < columns}`;
  }

  /** What is folded away has no room, and no say. */
  private room(): Size {
    const isThere = this.element.clientWidth > 0 && this.element.clientHeight > 0;
    const { cols, rows } = (isThere && this.fit.proposeDimensions()) || this.term;
    return clamped({ rows, columns: cols });
  }

  private fitSoon(): void {
    clearTimeout(this.fitting);
    this.fitting = setTimeout(() => {
      this.markSmall();
      if (this.isOver) this.resize(this.room());
      else this.socket.fit(this.room());
    }, FIT_AFTER_MS);
  }
}
