import { type CSSProperties, type ReactNode, useLayoutEffect, useRef } from "react";

interface Props {
  readonly className: string;
  readonly style: CSSProperties;
  readonly onHeight: (height: number) => void;
  readonly children: ReactNode;
}

const listeners = new WeakMap<Element, (height: number) => void>();
const observer = new ResizeObserver((entries) => {
  for (const { target } of entries) listeners.get(target)?.(target.getBoundingClientRect().height);
});

/** A row that says how tall it has become. */
export function Measured({ onHeight, children, ...rest }: Props) {
  const element = useRef<HTMLDivElement>(null);
  const told = useRef(onHeight);
  told.current = onHeight;
  useLayoutEffect(() => {
    const row = element.current;
    if (row === null) return undefined;
    listeners.set(row, (height) => told.current(height));
    observer.observe(row);
    told.current(row.getBoundingClientRect().height);
    return () => observer.unobserve(row);
  }, []);
  return (
    <div ref={element} {...rest}>
      {children}
    </div>
  );
}
