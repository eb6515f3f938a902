import { memo } from "react";
import { checkOf } from "../../state/session/checks";
import type { ToolItem } from "../../state/session/conversation";
import { setOpened } from "../../state/session/opened";
import { visibleBidi } from "../../state/session/plain";
import { editSize, outcome, subject, text, toolKind, toolName } from "../../state/session/tool";
import { duration, plural } from "../format";
import { Lines } from "../Lines";
import { ToolBody } from "./ToolBody";
import "./tool.css";

interface Props {
  readonly call: ToolItem;
  readonly session: string;
  readonly worktree: string;
  readonly open: boolean;
  /** How many steps a sub-agent took under it. */
  readonly under: number;
  /** Whether an unfinished call waits for a person. */
  readonly waits: boolean;
}

/** A tool call: one line that opens. */
export const ToolCall = memo(function ToolCall(props: Props) {
  const { call, session, worktree, open, under, waits } = props;
  return (
    <div className="tool" data-testid="tool" data-tool={call.tool} data-open={open}>
      <button
        type="button"
        className="tool-head"
        aria-expanded={open}
        onClick={() => setOpened(call.id, !open)}
      >
        <span className="arrow" aria-hidden="true" />
        <b>{toolName(call.tool)}</b>
        <span className="subject">{visibleBidi(subject(call.input, worktree))}</span>
        {under > 0 && <span className="end">{plural(under, "step")}</span>}
        <span className="end">
          <End call={call} waits={waits} />
        </span>
      </button>
      {open && <ToolBody call={call} session={session} worktree={worktree} />}
    </div>
  );
});

function End({ call, waits }: Pick<Props, "call" | "waits">) {
  if (call.output === null) return <span className="running">{waits ? "waits" : "running…"}</span>;
  const time = call.seconds >= 1 ? ` · ${duration(call.seconds)}` : "";
  const kind = toolKind(call.tool, call.input);
  const check =
    kind === "command"
      ? checkOf(text(call.input, "command") ?? "", call.output, call.failed)
      : null;
  if (check?.result) {
    return (
      <span className={check.passed ? "tone-ok" : "tone-bad"}>
        {check.result}
        {time}
      </span>
    );
  }
  if (call.failed) return <span className="tone-bad">failed{time}</span>;
  const size = editSize(call.tool, call.input);
  if (size !== null) return <Lines added={size[0]} removed={size[1]} />;
  return `${outcome(call.tool, call.input, call.output)}${time}`;
}
