import { lazy, memo, Suspense } from "react";
import type { SessionView } from "../../api/types.gen";
import { Card } from "../../parts/attention/Card";
import { Settled } from "../../parts/attention/Settled";
import { Markdown } from "../../parts/markdown/Markdown";
import { ToolCall } from "../../parts/tool/ToolCall";
import type { Entry } from "./entries";
import { Said } from "./Said";
import { Screen } from "./Screen";
import { Steps } from "./Steps";
import { Thought } from "./Thought";
import { TurnEnd } from "./turn/TurnEnd";

const Shot = lazy(async () => ({ default: (await import("./Shot")).Shot }));

interface Props {
  readonly entry: Entry;
  readonly session: SessionView;
  /** Whether this is the open item that keys answer. */
  readonly active: boolean;
}

export const EntryView = memo(
  function EntryView({ entry, session, active }: Props) {
    switch (entry.kind) {
      case "steps":
        return <Steps id={entry.id} items={entry.items} open={entry.open} />;
      case "saying":
        return <Saying {...entry.saying} screen={session.limited} />;
      case "item":
        return <ItemEntry entry={entry} session={session} active={active} />;
    }
  },
  // A session changes with every event; a row cares for little of it.
  (before, after) =>
    isSame(before.entry, after.entry) &&
    before.active === after.active &&
    before.session.id === after.session.id &&
    before.session.status === after.session.status,
);

function isSame(a: Entry, b: Entry): boolean {
  if (a.kind === "item" && b.kind === "item") {
    return a.item === b.item && a.open === b.open && a.under === b.under;
  }
  if (a.kind === "saying" && b.kind === "saying") return a.saying === b.saying;
  return a === b;
}

interface SayingProps {
  readonly text: string;
  readonly thinking: boolean;
  readonly screen: boolean;
}

function Saying({ text, thinking, screen }: SayingProps) {
  if (thinking) return <Thought id="" text={text} open={false} live />;
  return (
    <div className="agent live" data-testid="live">
      {screen ? <Screen text={text} /> : <Markdown text={text} live />}
    </div>
  );
}

type ItemProps = Omit<Props, "entry"> & { readonly entry: Extract<Entry, { kind: "item" }> };

function ItemEntry({ entry, session, active }: ItemProps) {
  const { item, open, under } = entry;
  const { worktree } = session;
  switch (item.kind) {
    case "user":
      return <Said item={item} />;
    case "agent":
      return (
        <div className="agent" data-testid="agent-message">
          {session.limited ? <Screen text={item.text} /> : <Markdown text={item.text} />}
        </div>
      );
    case "thought":
      return <Thought id={item.id} text={item.text} open={open} live={false} />;
    case "tool": {
      const waits = session.status === "waiting";
      const about = { session: session.id, worktree, open, under, waits };
      return <ToolCall call={item} {...about} />;
    }
    case "turn":
      return <TurnEnd item={item} session={session} />;
    case "picture":
      return (
        <Suspense fallback={null}>
          <Shot item={item} session={session} />
        </Suspense>
      );
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
