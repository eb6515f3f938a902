import { type DragEvent, type KeyboardEvent, useEffect, useRef } from "react";
import type { Terminal } from "../../api/terminals";
import { duration } from "../../parts/format";
import { shellText } from "../../state/page/shell";
import { plainText } from "../../state/session/plain";
import { isOver } from "./acts";
import { TabName } from "./TabName";

const TERMINAL_DRAG = "application/x-manyhands-terminal";

interface Props {
  readonly terminal: Terminal;
  readonly isShown: boolean;
  readonly isFront: boolean;
  readonly isRenaming: boolean;
  readonly onChoose: () => void;
  readonly onRenaming: () => void;
  /** With null, it stays as it is. */
  readonly onRename: (to: string | null) => void;
  readonly onStep: (by: number) => void;
  readonly onDrop: (name: string) => void;
}

/** One terminal's tab; by drag, or Alt and the arrows, it goes to another place. */
export function Tab(props: Props) {
  const { terminal, isShown, isFront, isRenaming } = props;
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isFront) element.current?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [isFront]);
  const press = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === "F2") props.onRenaming();
    else if (event.altKey && by !== undefined) props.onStep(by);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const begin = (event: DragEvent) => {
    event.dataTransfer.setData(TERMINAL_DRAG, terminal.name);
    event.dataTransfer.effectAllowed = "move";
  };
  const drop = (event: DragEvent) => {
    const name = event.dataTransfer.getData(TERMINAL_DRAG);
    if (name === "" || name === terminal.name) return;
    event.preventDefault();
    props.onDrop(name);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a tab is moved by keys and menu too
    <div
      ref={element}
      className="term-tab"
      data-testid="terminal-tab"
      data-name={terminal.name}
      data-shown={isShown}
      data-front={isFront}
      data-over={isOver(terminal)}
      onDragOver={(event) =>
        event.dataTransfer.types.includes(TERMINAL_DRAG) && event.preventDefault()
      }
      onDrop={drop}
    >
      {isRenaming ? (
        <TabName name={terminal.name} onDone={props.onRename} />
      ) : (
        <button
          type="button"
          draggable
          aria-pressed={isFront}
          title={titleOf(terminal)}
          onClick={props.onChoose}
          onDoubleClick={props.onRenaming}
          onDragStart={begin}
          onKeyDown={press}
        >
          {terminal.name}
          <Ending terminal={terminal} />
        </button>
      )}
    </div>
  );
}

function titleOf({ title, command }: Terminal): string {
  return plainText(title) || shellText(command);
}

function Ending({ terminal }: { readonly terminal: Terminal }) {
  if (!isOver(terminal)) return null;
  const code = terminal.exit_code ?? 0;
  return (
    <small className={code === 0 ? "tone-ok" : "tone-bad"}>
      {code === 0 ? "done" : `exit ${code}`} {duration(terminal.seconds ?? 0)}
    </small>
  );
}
