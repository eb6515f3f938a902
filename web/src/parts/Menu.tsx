import { type KeyboardEvent, useEffect, useId, useRef } from "react";
import "./menu.css";

interface Item {
  readonly id: string;
  readonly label: string;
  readonly run: () => void;
}

interface Props {
  readonly label: string;
  readonly open: boolean;
  readonly onOpen: (open: boolean) => void;
  readonly items: readonly Item[];
}

/** A button with a short list of things to do. Arrows move, Escape and a click elsewhere close. */
export function Menu({ label, open, onOpen, items }: Props) {
  const ref = useRef<HTMLDivElement>(null);
  const list = useId();
  useEffect(() => {
    if (!open) return undefined;
    ref.current?.querySelector<HTMLElement>("[role=menuitem]")?.focus();
    const leave = (event: PointerEvent) => {
      if (!ref.current?.contains(event.target as Node)) onOpen(false);
    };
    document.addEventListener("pointerdown", leave);
    return () => document.removeEventListener("pointerdown", leave);
  }, [open, onOpen]);
  const press = (event: KeyboardEvent<HTMLDivElement>) => {
    if (!open) return;
    const own = [...event.currentTarget.querySelectorAll<HTMLElement>("[role=menuitem]")];
    const at = own.indexOf(document.activeElement as HTMLElement);
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by !== undefined) own[(own.length + at + by) % own.length]?.focus();
    else if (event.key === "Escape") onOpen(false);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hears the keys of the buttons inside
    <div className="menu" ref={ref} onKeyDown={press}>
      <button
        type="button"
        className="button quiet"
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? list : undefined}
        onClick={() => onOpen(!open)}
      >
        {label}
      </button>
      {open && (
        <div className="menu-list" id={list} role="menu" aria-label={label}>
          {items.map(({ id, label: word, run }) => (
            <button
              type="button"
              role="menuitem"
              key={id}
              onClick={() => {
                onOpen(false);
                run();
              }}
            >
              {word}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
