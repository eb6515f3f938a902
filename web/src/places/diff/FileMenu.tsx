import { Popover } from "../../parts/Popover";
import type { FileDiff } from "../../state/diffFiles";
import { useActions } from "./actions";

/** Where there is no room for the tools of a file's head, they are in a menu. */
export function FileMenu({ diff }: { readonly diff: FileDiff }) {
  const actions = useActions();
  const { path } = diff.file;
  const items: readonly (readonly [word: string, run: () => void])[] = [
    ["Comment on the file", () => actions.commentFile(path)],
    ["Open in editor", () => actions.open(path)],
    ["Copy path", () => actions.copy(path)],
  ];
  const revert = ["Revert the file", () => actions.revert(diff, null)] as const;
  return (
    <Popover role="menu" className="file-menu" label="⋯" name={`More for ${path}`}>
      {(close) =>
        (actions.isNow ? [...items, revert] : items).map(([word, run]) => (
          <button
            type="button"
            role="menuitem"
            key={word}
            onClick={() => {
              close();
              run();
            }}
          >
            {word}
          </button>
        ))
      }
    </Popover>
  );
}
