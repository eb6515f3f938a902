import { memo } from "react";
import { Card } from "../../parts/attention/Card";
import { Settled } from "../../parts/attention/Settled";
import { Markdown } from "../../parts/markdown/Markdown";
import { ToolCall } from "../../parts/tool/ToolCall";
import type { Item } from "../../state/conversation";
import type { Entry as EntryOf } from "./entries";
import { Said } from "./Said";
import { Thought } from "./Thought";
import { TurnEnd } from "./TurnEnd";

interface Props {
  readonly entry: EntryOf;
  readonly worktree: string;
  /** Whether this is the open item that keys answer. */
  readonly active: boolean;
  /** Whether the session waits for a person. */
  readonly waits: boolean;
}

export const Entry = memo(function Entry({ entry, ...rest }: Props) {
  if (entry.item !== null) return <ItemEntry item={entry.item} {...rest} />;
  const { text, thinking } = entry.saying;
  if (thinking) return <Thought text={text} live />;
  return (
    <div className="agent live" data-testid="live">
      <Markdown text={text} />
    </div>
  );
});

type ItemProps = Omit<Props, "entry"> & { readonly item: Item };

function ItemEntry({ item, worktree, active, waits }: ItemProps) {
  switch (item.kind) {
    case "user":
      return <Said item={item} />;
    case "agent":
      return (
        <div className="agent" data-testid="agent-message">
          <Markdown text={item.text} />
        </div>
      );
    case "thought":
      return <Thought text={item.text} live={false} />;
    case "tool":
      return <ToolCall call={item} worktree={worktree} waits={waits} />;
    case "turn":
      return <TurnEnd item={item} />;
    case "note":
      return <p className={`note ${item.bad ? "tone-bad" : ""}`}>{item.text}</p>;
    case "attention":
      return item.item.resolved_at === null ? (
        <Card item={item.item} active={active} worktree={worktree} />
      ) : (
        <Settled item={item.item} />
      );
  }
}
