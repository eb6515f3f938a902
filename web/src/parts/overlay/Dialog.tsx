import { Dialog as Base } from "@base-ui/react/dialog";
import type { ReactNode } from "react";
import { Cover } from "./Cover";

interface Props {
  readonly title: string;
  readonly className?: string | undefined;
  readonly children: ReactNode;
}

/** A dialog with a title and a way out. */
export function Dialog({ title, className, children }: Props) {
  return (
    <Cover className={className}>
      <header>
        <Base.Title>{title}</Base.Title>
        <Base.Close className="close" aria-label="Close">
          ×
        </Base.Close>
      </header>
      {children}
    </Cover>
  );
}
