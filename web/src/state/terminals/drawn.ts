/**
 * How many bytes were drawn since the screen was drawn whole, and when the hub is told of them.
 *
 * The hub sends no more than 128 KiB that it was not told of. A byte of an earlier screen, drawn
 * late, does not count.
 */

const TELL_EVERY = 16 * 1024;

export class Drawn {
  private screen = 0;
  private bytes = 0;
  private told = 0;

  /** A screen begins; the answer names it. */
  begin(): number {
    this.bytes = 0;
    this.told = 0;
    return ++this.screen;
  }

  get current(): number {
    return this.screen;
  }

  /** The sum that the hub is to be told, if it is time. */
  note(screen: number, bytes: number): number | null {
    if (screen !== this.screen) return null;
    this.bytes += bytes;
    if (this.bytes - this.told < TELL_EVERY) return null;
    this.told = this.bytes;
    return this.bytes;
  }
}
