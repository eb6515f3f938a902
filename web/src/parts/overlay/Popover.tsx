import { type KeyboardEvent, type ReactNode, type ToggleEvent, useId, useRef } from "react";
import "./overlay.css";

/** As its style says; it must be placed before it is drawn. */
const WIDTH = 272;
const HEIGHT = 240;
const GAP = 4;

interface Props {
  /** What the button shows; its name where that is no word. */
  readonly label: ReactNode;
  readonly name: string;
  readonly title?: string;
  readonly className: string;
  readonly role: "dialog" | "menu";
  readonly children: (close: () => void) => ReactNode;
}

/**
 * A button that opens a small sheet above everything, by the browser's own popover: Escape and a
 * press elsewhere close it. Base UI's has focus guards that are hidden and can be focused.
 */
export function Popover({ label, name, title, className, role, children }: Props) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const sheet = useRef<HTMLDivElement>(null);
  const close = () => {
    sheet.current?.hidePopover();
    button.current?.focus();
  };
  const place = (event: ToggleEvent<HTMLDivElement>) => {
    const from = button.current?.getBoundingClientRect();
    if (event.newState !== "open" || !from) return;
    const { style } = event.currentTarget;
    const below = from.bottom + GAP;
    const left = Math.min(from.left, innerWidth - WIDTH - 2 * GAP);
    style.left = `${Math.max(left, 2 * GAP)}px`;
    style.top = below + HEIGHT < innerHeight ? `${below}px` : "auto";
    style.bottom = style.top === "auto" ? `${innerHeight - from.top + GAP}px` : "auto";
  };
  const begin = (event: ToggleEvent<HTMLDivElement>) => {
    if (event.newState !== "open") return;
    event.currentTarget.querySelector<HTMLElement>("[data-first], [role=menuitem]")?.focus();
  };
  const press = (event: KeyboardEvent<HTMLDivElement>) => {
    const own = [...event.currentTarget.querySelectorAll<HTMLElement>("[role=menuitem]")];
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by !== undefined && own.length > 0) {
      const at = own.indexOf(document.activeElement as HTMLElement);
      own[(own.length + at + by) % own.length]?.focus();
      event.preventDefault();
    }
    // The page has keys of its own.
    event.stopPropagation();
  };
  return (
    <>
      <button
        type="button"
        ref={button}
        className={className}
        popoverTarget={id}
        aria-haspopup={role}
        aria-label={name}
        title={title}
      >
        {label}
      </button>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: hears the keys of what is inside */}
      <div
        ref={sheet}
        id={id}
        popover="auto"
        className="popover"
        onBeforeToggle={place}
        onToggle={begin}
        onKeyDown={press}
      >
        {/* biome-ignore lint/a11y/useAriaPropsSupportedByRole: both roles have a name */}
        <div role={role} aria-label={name}>
          {children(close)}
        </div>
      </div>
    </>
  );
}
