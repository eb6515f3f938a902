import { memo } from "react";

const KINDS: Readonly<Record<string, string>> = { "+": "added", "-": "removed" };

interface Props {
  readonly lines: readonly string[];
  readonly path: string;
}

/** The latest change, as much of it as the tile has room for. */
export const HunkLines = memo(function HunkLines({ lines, path }: Props) {
  return (
    <pre className="hunk" aria-label={`Latest change, in ${path}`} role="img">
      {lines.map((line, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name, and are replaced whole
        <span key={place} className={KINDS[line[0] ?? ""] ?? "same"}>
          {line}
          {"\n"}
        </span>
      ))}
    </pre>
  );
});
