import { Dialog } from "@base-ui/react/dialog";
import { type ReactNode, useRef } from "react";
import { uncover } from "../../state/page/screen";
import "./dialog.css";

interface Props {
  readonly className?: string | undefined;
  /** Its name, where no title says it. */
  readonly label?: string;
  readonly children: ReactNode;
}

/** What covers the page. Focus begins at what is marked `data-first`; a press beside it is no answer. */
export function Cover({ className = "", label, children }: Props) {
  const popup = useRef<HTMLDivElement>(null);
  const first = () => popup.current?.querySelector<HTMLElement>("[data-first]") ?? true;
  return (
    <Dialog.Root open onOpenChange={uncover} disablePointerDismissal>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup
          ref={popup}
          className={`dialog ${className}`}
          aria-label={label}
          initialFocus={first}
        >
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
