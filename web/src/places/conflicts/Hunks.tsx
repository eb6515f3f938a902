import { useEffect, useState } from "react";
import { type Conflict, fetchHunks, type Part, type PathHunks } from "../../api/conflicts";
import { languageOf } from "../../parts/code/highlight";
import { Pieces } from "../../parts/code/Pieces";
import { plural } from "../../parts/format";
import { isReal } from "../../state/fleet/conflicts";
import "../../parts/code/code.css";

/** Both sides of every place where a pair collides, by its path, and how many paths were left out. */
export interface Collisions {
  readonly paths: Readonly<Record<string, PathHunks>>;
  readonly more: number;
}

const NONE: Collisions = { paths: {}, more: 0 };

export function useHunks(conflict: Conflict): Collisions {
  const { a, b, paths } = conflict;
  const [found, setFound] = useState(NONE);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `paths` changes with the radar's looks
  useEffect(() => {
    let wanted = true;
    const take = (hunks: Awaited<ReturnType<typeof fetchHunks>>) => {
      const named = Object.fromEntries(hunks.paths.map((one) => [one.path, one]));
      if (wanted) setFound({ paths: named, more: hunks.more });
    };
    if (isReal(conflict)) void fetchHunks(a, b).then(take, () => undefined);
    return () => {
      wanted = false;
      setFound(NONE);
    };
  }, [a, b, paths]);
  return found;
}

interface Props {
  readonly found: PathHunks;
  /** What the sides are called. */
  readonly names: readonly [string, string];
}

/** The two sides of one file, next to each other. */
export function Hunks({ found, names }: Props) {
  const lang = languageOf(found.path);
  return (
    <div className="clash" data-testid="clash">
      {found.note && <p className="quiet">{found.note}</p>}
      {found.hunks.map((hunk) => (
        <div className="sides" key={`${hunk.a.start} ${hunk.b.start}`}>
          <Side part={hunk.a} name={names[0]} lang={lang} />
          <Side part={hunk.b} name={names[1]} lang={lang} />
        </div>
      ))}
      {found.more > 0 && <p className="quiet">{plural(found.more, "place")} more in this file.</p>}
    </div>
  );
}

interface SideProps {
  readonly part: Part;
  readonly name: string;
  readonly lang: string;
}

function Side({ part, name, lang }: SideProps) {
  const [from, to] = part.changed;
  return (
    <div className="side">
      <span className="whose">{name}</span>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <pre tabIndex={0}>
        {part.lines.map((text, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is known by its place
          <div className="line" data-own={(at >= from && at < to) || undefined} key={at}>
            <i aria-hidden="true">{part.start + at}</i>
            <span>
              <Pieces text={text} lang={lang} mark={null} />
            </span>
          </div>
        ))}
        {from === to && (
          <div className="line nothing">{part.start === 0 ? "no such file" : "nothing here"}</div>
        )}
        {part.cut && <div className="line nothing">…</div>}
      </pre>
    </div>
  );
}
