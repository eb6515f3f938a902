import { visibleBidi } from "../../state/session/plain";

/** What stood on a terminal, as it stood there: its columns mean something, and # is no heading. */
export function Screen({ text }: { readonly text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: wider than the pane, it is scrolled by keys
    <pre className="screen" data-testid="screen" tabIndex={0}>
      {visibleBidi(text)}
    </pre>
  );
}
