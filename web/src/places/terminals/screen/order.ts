/** Steps one after the other, of which some take their time. */

type Step = () => void;

export class Order {
  private steps: Step[] = [];
  private waiting: object | null = null;

  next(step: Step): void {
    if (this.waiting === null) step();
    else this.steps.push(step);
  }

  /** Nothing goes on before it calls `done`. */
  wait(step: (done: () => void) => void): void {
    this.next(() => {
      const mine = {};
      this.waiting = mine;
      step(() => this.waiting === mine && this.goOn());
    });
  }

  /** Whatever has not begun is forgotten, and what takes its time is not waited for. */
  clear(): void {
    this.steps = [];
    this.waiting = null;
  }

  private goOn(): void {
    this.waiting = null;
    while (this.waiting === null && this.steps.length > 0) this.steps.shift()?.();
  }
}
