/** What a person draws upon a picture, in the picture's own pixels. */

export type Tool = "pen" | "box" | "arrow";

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Mark {
  readonly tool: Tool;
  /** All that a pen went over; of the others, where they begin and end. */
  readonly points: readonly [Point, ...Point[]];
}

export interface Ink {
  readonly line: string;
  /** Beside the line, so that it is seen on every ground. */
  readonly edge: string;
}

const FEWEST_PIXELS = 4;
const HEAD = Math.PI / 7;

export function grown({ tool, points }: Mark, to: Point): Mark {
  const [first, ...rest] = points;
  return { tool, points: tool === "pen" ? [first, ...rest, to] : [first, to] };
}

/** A press that went nowhere is a dot of the pen's, and nothing of the others'. */
export function isSeen({ tool, points }: Mark): boolean {
  return tool === "pen" || points.some((to) => distance(points[0], to) >= FEWEST_PIXELS);
}

/** How wide a line is that is seen in a picture of this size. */
export function lineWidth(width: number, height: number): number {
  return Math.max(3, Math.max(width, height) / 320);
}

/** The lines of a mark, each from point to point. */
export function linesOf({ tool, points }: Mark, wide: number): readonly (readonly Point[])[] {
  const from = points[0];
  const to = points.at(-1) ?? from;
  switch (tool) {
    case "pen":
      return [points];
    case "box":
      return [[from, { x: to.x, y: from.y }, to, { x: from.x, y: to.y }, from]];
    case "arrow":
      return [[from, to], headOf(from, to, wide)];
  }
}

function headOf(from: Point, to: Point, wide: number): readonly Point[] {
  const towards = Math.atan2(to.y - from.y, to.x - from.x);
  const long = Math.min(wide * 6, distance(from, to));
  const back = (turn: number): Point => ({
    x: to.x - long * Math.cos(towards + turn),
    y: to.y - long * Math.sin(towards + turn),
  });
  return [back(HEAD), to, back(-HEAD)];
}

const distance = (a: Point, b: Point): number => Math.hypot(b.x - a.x, b.y - a.y);

export function paint(on: CanvasRenderingContext2D, marks: readonly Mark[], ink: Ink): void {
  const wide = lineWidth(on.canvas.width, on.canvas.height);
  on.lineCap = "round";
  on.lineJoin = "round";
  for (const mark of marks) {
    const lines = linesOf(mark, wide);
    stroke(on, lines, ink.edge, wide * 2);
    stroke(on, lines, ink.line, wide);
  }
}

function stroke(
  on: CanvasRenderingContext2D,
  lines: readonly (readonly Point[])[],
  colour: string,
  wide: number,
): void {
  on.strokeStyle = colour;
  on.lineWidth = wide;
  on.beginPath();
  for (const [first, ...rest] of lines) {
    if (first === undefined) continue;
    on.moveTo(first.x, first.y);
    // Of a line without any length nothing is drawn.
    on.lineTo(first.x + 0.1, first.y);
    for (const { x, y } of rest) on.lineTo(x, y);
  }
  on.stroke();
}
