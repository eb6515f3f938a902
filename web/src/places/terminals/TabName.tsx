import { type KeyboardEvent, useRef } from "react";

interface Props {
  readonly name: string;
  /** With null, it stays as it is. */
  readonly onDone: (to: string | null) => void;
}

/** A name that is being changed where it stands. */
export function TabName({ name, onDone }: Props) {
  const left = useRef(false);
  const done = (to: string | null) => {
    if (left.current) return;
    left.current = true;
    onDone(to);
  };
  const press = (event: KeyboardEvent<HTMLInputElement>) => {
    event.stopPropagation();
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Enter") done(event.currentTarget.value.trim());
    else if (event.key === "Escape") done(null);
  };
  return (
    <input
      aria-label="Name of the terminal"
      defaultValue={name}
      maxLength={60}
      size={Math.max(8, name.length)}
      // biome-ignore lint/a11y/noAutofocus: it appears because the person asked to write here
      autoFocus
      onFocus={(event) => event.currentTarget.select()}
      onBlur={(event) => done(event.currentTarget.value.trim())}
      onKeyDown={press}
    />
  );
}
