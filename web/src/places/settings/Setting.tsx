import type { ReactNode } from "react";

interface Props {
  readonly name: string;
  readonly says: string;
  readonly children: ReactNode;
}

/** One setting: what it is called, what it means, and its control. */
export function Setting({ name, says, children }: Props) {
  return (
    <div className="setting">
      <div>
        <b>{name}</b>
        {says && <small>{says}</small>}
      </div>
      <div className="control">{children}</div>
    </div>
  );
}
