import type { SessionView } from "../../api/types.gen";
import { addressesOf } from "../../state/session/addresses";

interface Props {
  readonly session: SessionView;
  /** At most so many. */
  readonly most: number;
  readonly className: string;
}

/** A link to each port that the session listens on. */
export function Ports({ session, most, className }: Props) {
  return addressesOf(session)
    .slice(0, most)
    .map(({ port, url, name }) => (
      <a
        key={port}
        className={className}
        href={url}
        target="_blank"
        rel="noopener noreferrer"
        title={`Open ${name || "what listens"} on port ${port}`}
      >
        {name ? `${name} :${port}` : `:${port}`}
      </a>
    ));
}
