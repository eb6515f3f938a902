import type { ReactNode } from "react";
import "./overlay/sheet.css";

interface Props {
  readonly title: string;
  readonly says?: string;
  readonly tools?: ReactNode;
  /** Whether the content takes the whole width. */
  readonly wide?: boolean;
  readonly children: ReactNode;
}

/** A place that is read from top to bottom: its name, what can be set, its content. */
export function PlaceFrame({ title, says, tools, wide = false, children }: Props) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <main className="sheet" data-wide={wide} tabIndex={0} aria-label={title}>
      <header>
        <div>
          <h1>{title}</h1>
          {says && <p>{says}</p>}
        </div>
        <div className="sheet-tools">{tools}</div>
      </header>
      {children}
    </main>
  );
}
