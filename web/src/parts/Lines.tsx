interface Props {
  readonly added: number;
  readonly removed: number;
}

/** Lines added and removed. */
export function Lines({ added, removed }: Props) {
  if (added === 0 && removed === 0) return null;
  return (
    <span className="lines">
      {added > 0 && (
        <span className="plus">
          <span className="sr">added </span>+{added}
        </span>
      )}
      {removed > 0 && (
        <span className="minus">
          <span className="sr">removed </span>−{removed}
        </span>
      )}
    </span>
  );
}
