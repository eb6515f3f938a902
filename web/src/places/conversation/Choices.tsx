import type { Completion } from "./composer/useCompletion";

/** What fits to what is being written; arrows move, Enter takes. */
export function Choices({ completion }: { readonly completion: Completion }) {
  const { list, choices, at, choose } = completion;
  if (choices.length === 0) return null;
  return (
    <div className="offers" id={list} role="listbox" aria-label="Fits" data-testid="offers">
      {choices.map((choice, place) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the text box has the keys
        <div
          key={choice.value}
          id={`${list}-${place}`}
          role="option"
          tabIndex={-1}
          aria-selected={place === at}
          // A press would take the focus from the box before the click.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => choose(choice)}
        >
          <b>{choice.value}</b>
          {choice.says && <small>{choice.says}</small>}
        </div>
      ))}
    </div>
  );
}
