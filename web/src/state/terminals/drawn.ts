/**
 * How many bytes were drawn since the hub was last told, and when it is told again.
 *
 * The hub sends no more than 128 KiB that it was not told of. A byte of an earlier screen, drawn
 * late, does not count.
 */

const TELL_EVERY = 16 * 1024;

export class Drawn {
  private screen = 0;
  private bytes = 0;

  /** A screen begins; the answer names it. */
  begin(): number {
    this.bytes = 0;
    return ++this.screen;
  }

  get current(): number {
    return this.screen;
  }

  /** How many the hub is to be told of, if it is time. */
  note(screen: number, bytes: number): number | null {
    if (screen !== this.screen) return null;
    this.bytes += bytes;
    if (this.bytes < TELL_EVERY) return null;
    const told = this.bytes;
    this.bytes = 0;
    return told;
  }
}
