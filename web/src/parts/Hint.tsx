/** The hub's advice; what stands between backticks is a command for the terminal. */
export function Hint({ text }: { readonly text: string }) {
  return text.split("`").map((part, at) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of one sentence, in its order
    at % 2 === 1 ? <code key={at}>{part}</code> : part,
  );
}
