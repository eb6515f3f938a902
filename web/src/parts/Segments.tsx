import "./segments.css";

interface Option<T extends string> {
  readonly id: T;
  readonly label: string;
  readonly title?: string;
}

interface Props<T extends string> {
  readonly label: string;
  readonly options: readonly Option<T>[];
  readonly chosen: T;
  readonly onChoose: (id: T) => void;
}

/** A choice of a few, all in sight. */
export function Segments<T extends string>({ label, options, chosen, onChoose }: Props<T>) {
  return (
    <fieldset className="segments" aria-label={label}>
      {options.map(({ id, label: word, title }) => (
        <button
          type="button"
          key={id}
          title={title}
          aria-pressed={id === chosen}
          onClick={() => onChoose(id)}
        >
          {word}
        </button>
      ))}
    </fieldset>
  );
}
