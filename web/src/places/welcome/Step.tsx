import type { ReactNode } from "react";

interface Props {
  readonly title: string;
  /** Null while it is not known. */
  readonly done: boolean | null;
  readonly children: ReactNode;
}

/** One of the first steps, and whether it is done. */
export function Step({ title, done, children }: Props) {
  return (
    <li className="step" data-done={done ?? undefined}>
      <h2>
        {title}
        {done !== null && (
          <small className={done ? "tone-ok" : "tone-wait"}>{done ? "✓ ready" : "to do"}</small>
        )}
      </h2>
      {children}
    </li>
  );
}
