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
        {says && <small>{withCode(says)}</small>}
      </div>
      <div className="control">{children}</div>
    </div>
  );
}

/** What stands between backticks is meant to be typed. */
function withCode(says: string): ReactNode[] {
  return says
    .split("`")
    .map((part, place) => (place % 2 === 1 ? <code key={part}>{part}</code> : part));
}
