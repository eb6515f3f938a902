import type { ReactNode } from "react";
import { Popover } from "./Popover";

interface Props {
  /** What the button shows; its name where that is no word. */
  readonly label: ReactNode;
  readonly name: string;
  readonly className: string;
  readonly items: readonly { id: string; label: string; run: () => void }[];
}

/** A button with a short list of things to do. */
export function Menu({ items, ...button }: Props) {
  return (
    <Popover role="menu" {...button}>
      {(close) =>
        items.map(({ id, label, run }) => (
          <button
            type="button"
            role="menuitem"
            key={id}
            onClick={() => {
              close();
              run();
            }}
          >
            {label}
          </button>
        ))
      }
    </Popover>
  );
}
