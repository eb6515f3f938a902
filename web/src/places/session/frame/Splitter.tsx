import { type KeyboardEvent, type PointerEvent, useRef } from "react";

interface Props {
  readonly across: boolean;
  readonly share: number;
  readonly label: string;
  readonly onShare: (share: number) => void;
}

const STEP = 0.04;

/** The edge between two neighbours: dragged, or moved with the arrow keys. */
export function Splitter({ across, share, label, onShare }: Props) {
  const ref = useRef<HTMLHRElement>(null);
  const drag = (event: PointerEvent<HTMLElement>) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const before = ref.current?.previousElementSibling?.getBoundingClientRect();
    const after = ref.current?.nextElementSibling?.getBoundingClientRect();
    if (before === undefined || after === undefined) return;
    onShare(
      across
        ? (event.clientX - before.left) / (after.right - before.left)
        : (event.clientY - before.top) / (after.bottom - before.top),
    );
  };
  const press = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -STEP, ArrowUp: -STEP, ArrowRight: STEP, ArrowDown: STEP }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    onShare(share + by);
  };
  return (
    <hr
      ref={ref}
      className={`splitter ${across ? "across" : "down"}`}
      aria-orientation={across ? "vertical" : "horizontal"}
      aria-label={label}
      aria-valuenow={Math.round(share * 100)}
      aria-valuemin={15}
      aria-valuemax={85}
      tabIndex={0}
      onKeyDown={press}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={drag}
    />
  );
}
