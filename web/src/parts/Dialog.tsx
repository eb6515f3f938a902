import { type ReactNode, useEffect, useId, useRef } from "react";
import { uncover } from "../state/screen";
import "./dialog.css";

interface Props {
  readonly title: string;
  readonly children: ReactNode;
}

/** A modal dialog of the browser's own. Focus begins at what is marked `data-first`. */
export function Dialog({ title, children }: Props) {
  const ref = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    ref.current?.showModal();
    ref.current?.querySelector<HTMLElement>("[data-first]")?.focus();
  }, []);
  return (
    <dialog ref={ref} className="dialog" aria-labelledby={heading} onClose={uncover}>
      <header>
        <h2 id={heading}>{title}</h2>
        <button type="button" className="close" aria-label="Close" onClick={uncover}>
          ×
        </button>
      </header>
      {children}
    </dialog>
  );
}
