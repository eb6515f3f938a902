import {
  type KeyboardEvent,
  type PointerEvent,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from "react";
import { lineWidth, type Point } from "../../state/session/marks";
import { sizeOf } from "../../state/session/pictures";

interface Props {
  readonly image: HTMLImageElement;
  readonly label: string;
  /** Draws what is upon the picture. */
  readonly paint: (on: CanvasRenderingContext2D) => void;
  readonly onDown: (at: Point) => void;
  readonly onMove: (to: Point) => void;
  readonly onUp: () => void;
  /** Enter or the space bar, where the cross is. */
  readonly onPress: (at: Point) => void;
}

const ARROWS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** A picture upon which something is drawn, by a pointer or by the arrow keys and their cross. */
export function Stage({ image, label, paint, onDown, onMove, onUp, onPress }: Props) {
  const { width, height } = sizeOf(image);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [cross, setCross] = useState<Point | null>(null);
  useEffect(() => {
    const on = canvas.current?.getContext("2d");
    if (!on) return;
    on.drawImage(image, 0, 0, width, height);
    paint(on);
    if (cross !== null) paintCross(on, cross);
  });
  const press = (event: KeyboardEvent) => {
    const at = cross ?? { x: width / 2, y: height / 2 };
    const [right, down] = ARROWS[event.key] ?? [0, 0];
    if (event.key === "Enter" || event.key === " ") onPress(at);
    else if (right === 0 && down === 0) return;
    event.preventDefault();
    const step = event.shiftKey ? 1 : lineWidth(width, height) * 4;
    const next = within({ x: at.x + right * step, y: at.y + down * step }, width, height);
    setCross(next);
    if (right !== 0 || down !== 0) onMove(next);
  };
  const at = (event: PointerEvent): Point => pointOf(event, canvas, width, height);
  return (
    // biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: arrow keys are its own
    <canvas
      ref={canvas}
      width={width}
      height={height}
      className="stage"
      role="application"
      aria-label={label}
      tabIndex={0}
      data-first
      onKeyDown={press}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        setCross(null);
        onDown(at(event));
      }}
      onPointerMove={(event) => onMove(at(event))}
      onPointerUp={onUp}
      onPointerCancel={onUp}
    />
  );
}

function pointOf(
  event: PointerEvent,
  canvas: RefObject<HTMLCanvasElement | null>,
  width: number,
  height: number,
): Point {
  const box = canvas.current?.getBoundingClientRect() ?? { left: 0, top: 0, width, height };
  const x = ((event.clientX - box.left) * width) / box.width;
  const y = ((event.clientY - box.top) * height) / box.height;
  return within({ x, y }, width, height);
}

function within({ x, y }: Point, width: number, height: number): Point {
  return { x: Math.min(width, Math.max(0, x)), y: Math.min(height, Math.max(0, y)) };
}

function paintCross(on: CanvasRenderingContext2D, { x, y }: Point): void {
  const wide = lineWidth(on.canvas.width, on.canvas.height);
  on.save();
  // Light on dark and dark on light.
  on.globalCompositeOperation = "difference";
  on.strokeStyle = "white";
  on.lineWidth = wide / 2;
  on.beginPath();
  on.moveTo(x - wide * 4, y);
  on.lineTo(x + wide * 4, y);
  on.moveTo(x, y - wide * 4);
  on.lineTo(x, y + wide * 4);
  on.stroke();
  on.restore();
}
