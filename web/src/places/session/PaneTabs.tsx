export type Pane = "conversation" | "diff";

interface Props {
  readonly pane: Pane;
  readonly files: number;
  readonly onChoose: (pane: Pane) => void;
}

/** Where only one pane fits: which one. */
export function PaneTabs({ pane, files, onChoose }: Props) {
  const panes: readonly [Pane, string][] = [
    ["conversation", "Conversation"],
    ["diff", files > 0 ? `Changes (${files})` : "Changes"],
  ];
  return (
    <div className="pane-tabs">
      {panes.map(([name, label]) => (
        <button
          type="button"
          key={name}
          aria-pressed={pane === name}
          onClick={() => onChoose(name)}
        >
          {label}
        </button>
      ))}
    </div>
  );
}
