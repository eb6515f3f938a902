import { type ReactNode, useState } from "react";
import type { SessionView } from "../../api/types.gen";
import { plural } from "../../parts/format";
import { Icon, type IconName } from "../../parts/Icon";
import { keyText } from "../../state/page/chord";
import type { Shown, Where } from "../../state/terminals/shown";
import { useViewers } from "../../state/terminals/viewers";
import { askOf } from "../../state/terminals/wishes";
import { move, open, rename, show } from "./acts";
import { Tab } from "./Tab";
import { TabMenu } from "./TabMenu";

interface Props {
  readonly session: SessionView;
  readonly where: Where;
  readonly shown: Shown;
  readonly before?: ReactNode;
  readonly after?: ReactNode;
}

/** The terminals by name, and what can be done with the one in front. */
export function Strip({ session, where, shown, before, after }: Props) {
  const [renaming, setRenaming] = useState("");
  const { terminals } = session;
  const front = terminals.find(({ name }) => name === shown.front);
  const living = session.status !== "archived";
  return (
    <div className="term-strip">
      {before}
      <div className="term-tabs">
        {terminals.map((terminal, place) => (
          <Tab
            key={terminal.name}
            terminal={terminal}
            isShown={shown.names.includes(terminal.name)}
            isFront={terminal.name === shown.front}
            isRenaming={renaming === terminal.name}
            onChoose={() => show(where, session, terminal.name)}
            onRename={(to) => {
              setRenaming("");
              if (to !== null) void rename(session, terminal.name, to);
            }}
            onRenaming={() => setRenaming(terminal.name)}
            onStep={(by) => void move(session, terminal.name, place + by)}
            onDrop={(name) => void move(session, name, place)}
          />
        ))}
      </div>
      {living && (
        <Tool
          icon="add"
          label="New terminal"
          hint="Ctrl+Shift+Backquote"
          onPress={() => void open(where, session)}
        />
      )}
      <span className="spring" />
      {front && <Viewers session={session.id} name={front.name} />}
      {front && (
        <Tool
          icon="find"
          label="Search"
          hint="$mod+f"
          onPress={() => askOf({ where, session: session.id, name: front.name }, "search")}
        />
      )}
      {front && living && (
        <Tool
          icon="split"
          className="beside"
          label="New terminal beside this one"
          hint="$mod+Shift+Enter"
          onPress={() => void open(where, session, true)}
        />
      )}
      {front && (
        <TabMenu
          session={session}
          terminal={front}
          onRename={() => setRenaming(front.name)}
          place={terminals.indexOf(front)}
        />
      )}
      {after}
    </div>
  );
}

interface ToolProps {
  readonly icon: IconName;
  readonly label: string;
  readonly hint?: string;
  readonly className?: string;
  readonly onPress: () => void;
}

export function Tool({ icon, label, hint, className = "", onPress }: ToolProps) {
  return (
    <button
      type="button"
      className={`term-tool ${className}`}
      aria-label={label}
      title={hint === undefined ? label : `${label} (${keyText(hint)})`}
      onClick={onPress}
    >
      <Icon name={icon} />
    </button>
  );
}

/** Only where somebody else looks too. */
function Viewers({ session, name }: { readonly session: string; readonly name: string }) {
  const viewers = useViewers((state) => state.of[`${session}/${name}`] ?? 1);
  if (viewers < 2) return null;
  return (
    <span
      className="term-viewers"
      data-testid="viewers"
      title="It has the size of the smallest one"
    >
      {plural(viewers, "viewer")}
    </span>
  );
}
