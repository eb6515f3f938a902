import { visible } from "./visible";

/** Text from a stranger: nothing in it is hidden, and nothing reorders what stands around it. */
export function Plain({ text }: { readonly text: string }) {
  return (
    <bdi dir="ltr">
      {visible(text).map((part) =>
        part.odd ? (
          <span key={part.at} className="odd" title="An invisible or reordering character">
            {part.text}
          </span>
        ) : (
          part.text
        ),
      )}
    </bdi>
  );
}
