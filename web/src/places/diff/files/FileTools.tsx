import { Icon, type IconName } from "../../../parts/Icon";
import { Menu } from "../../../parts/overlay/Menu";
import type { FileDiff } from "../../../state/diff/diffFiles";
import { type DiffActions, useActions } from "../actions";

interface Tool {
  readonly icon: IconName;
  readonly word: string;
  readonly name: string;
  readonly run: () => void;
  readonly hint?: string;
}

/** What can be done with a file as a whole: side by side, or in a menu where there is no room. */
export function FileTools({ diff }: { readonly diff: FileDiff }) {
  const tools = toolsFor(diff, useActions());
  return (
    <>
      {tools.map(({ icon, word, name, hint = word, run }) => (
        <button
          key={icon}
          type="button"
          className="tool"
          title={hint}
          aria-label={name}
          onClick={run}
        >
          <Icon name={icon} />
        </button>
      ))}
      <Menu
        className="file-menu"
        label="⋯"
        name={`More for ${diff.file.path}`}
        items={tools.map(({ icon, word, run }) => ({ id: icon, label: word, run }))}
      />
    </>
  );
}

function toolsFor(diff: FileDiff, actions: DiffActions): readonly Tool[] {
  const { path } = diff.file;
  const tools: readonly Tool[] = [
    {
      icon: "edit",
      word: "Open in editor",
      name: `Open ${path} in the editor`,
      run: () => actions.open(path),
    },
    {
      icon: "copy",
      word: "Copy path",
      name: `Copy the path of ${path}`,
      run: () => actions.copy(path),
    },
    {
      icon: "comment",
      word: "Comment on the file",
      name: `Comment on ${path}`,
      run: () => actions.commentFile(path),
    },
  ];
  const revert: Tool = {
    icon: "revert",
    word: "Revert the file",
    name: `Revert ${path}`,
    run: () => actions.revert(diff, null),
    hint: "Revert the file (a checkpoint is made first)",
  };
  return actions.isNow ? [...tools, revert] : tools;
}
