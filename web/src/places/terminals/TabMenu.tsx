import type { Terminal } from "../../api/terminals";
import type { SessionView } from "../../api/types.gen";
import { Icon } from "../../parts/Icon";
import { Menu } from "../../parts/overlay/Menu";
import { isWatched, setSize, setWatched, useTerminalWishes } from "../../state/terminals/wishes";
import { close, hearBell, isOver, kill, move, restart } from "./acts";

interface Props {
  readonly session: SessionView;
  readonly terminal: Terminal;
  readonly place: number;
  readonly onRename: () => void;
}

/** Everything that can be done with the terminal in front. */
export function TabMenu({ session, terminal, place, onRename }: Props) {
  const { reader, watched } = useTerminalWishes();
  const { name } = terminal;
  const watch = isWatched(watched, session.id, name);
  const living = session.status !== "archived";
  const item = (id: string, label: string, run: () => unknown, offered = true) =>
    offered ? [{ id, label, run: () => void run() }] : [];
  const last = session.terminals.length - 1;
  return (
    <Menu
      label={<Icon name="more" />}
      name={`More for ${name}`}
      className="term-tool"
      items={[
        ...item("rename", "Rename", onRename),
        ...item("left", "Move to the left", () => move(session, name, place - 1), place > 0),
        ...item("right", "Move to the right", () => move(session, name, place + 1), place < last),
        ...item("watch", watch ? "Type in it" : "Only watch", () =>
          setWatched(session.id, name, !watch),
        ),
        ...item("bell", terminal.bell ? "Its bell tells nobody" : "Tell me when it rings", () =>
          hearBell(session, terminal),
        ),
        ...item("restart", "Restart", () => restart(session, terminal), living),
        ...item("kill", "Kill", () => kill(session, terminal), !isOver(terminal)),
        ...item("close", isOver(terminal) ? "Close" : "Kill and close", () =>
          close(session, terminal),
        ),
        ...item("larger", "Larger letters", () => setSize(1)),
        ...item("smaller", "Smaller letters", () => setSize(-1)),
        ...item("reader", reader ? "Not for a screen reader" : "For a screen reader", () =>
          useTerminalWishes.setState({ reader: !reader }),
        ),
      ]}
    />
  );
}
