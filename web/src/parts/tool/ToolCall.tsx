import { memo } from "react";
import type { ToolItem } from "../../state/conversation";
import { editSize, outcome, subject } from "../../state/tool";
import { duration } from "../format";
import { Lines } from "../Lines";
import { ToolInput } from "./ToolInput";
import "./tool.css";

interface Props {
  readonly call: ToolItem;
  readonly worktree: string;
  /** Whether an unfinished call waits for a person. */
  readonly waits: boolean;
}

/** A tool call: one line that opens. */
export const ToolCall = memo(function ToolCall({ call, worktree, waits }: Props) {
  return (
    <details className="tool" data-testid="tool" data-tool={call.tool}>
      <summary>
        <span className="arrow" aria-hidden="true" />
        <b>{call.tool}</b>
        <span className="subject">{subject(call.input, worktree)}</span>
        <span className="end">
          <End call={call} waits={waits} />
        </span>
      </summary>
      <div className="tool-body">
        <ToolInput tool={call.tool} input={call.input} worktree={worktree} />
        {call.output !== null && call.output !== "" && (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
          <pre className="code output" tabIndex={0}>
            {call.output}
          </pre>
        )}
      </div>
    </details>
  );
});

function End({ call, waits }: Pick<Props, "call" | "waits">) {
  if (call.output === null) return waits ? "waits" : "running…";
  if (call.failed) return <span className="tone-bad">failed</span>;
  const size = editSize(call.tool, call.input);
  if (size !== null) return <Lines added={size[0]} removed={size[1]} />;
  const time = call.seconds >= 1 ? ` · ${duration(call.seconds)}` : "";
  return `${outcome(call.output)}${time}`;
}
