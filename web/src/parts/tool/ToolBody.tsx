import type { ToolItem } from "../../state/session/conversation";
import { fileOf, subject, toolKind } from "../../state/session/tool";
import { Code } from "../code/Code";
import { languageOf } from "../code/highlight";
import { FileActions } from "../FileActions";
import { Markdown } from "../markdown/Markdown";
import { Output } from "./Output";
import { ToolInput } from "./ToolInput";

interface Props {
  readonly call: ToolItem;
  readonly worktree: string;
}

/** What a call was given and what came of it. */
export function ToolBody({ call, worktree, session }: Props & { readonly session: string }) {
  const path = fileOf(call.input, worktree);
  return (
    <div className="tool-body">
      {path !== null && <FileActions session={session} worktree={worktree} path={path} />}
      <ToolInput tool={call.tool} input={call.input} worktree={worktree} headed />
      {call.output !== null && call.output !== "" && <Result call={call} worktree={worktree} />}
    </div>
  );
}

/** Numbers and arrows that some agents put before every line they read. */
const NUMBERED = /^\s*\d+[→\t]/;

function Result({ call, worktree }: Props) {
  const output = call.output ?? "";
  const kind = call.failed ? "other" : toolKind(call.tool, call.input);
  switch (kind) {
    case "edit":
    case "write":
    case "todos":
      return null;
    case "delegate":
      return <Markdown text={output} />;
    case "read": {
      const lines = output.split("\n");
      const plain = lines.map((line) => line.replace(NUMBERED, "")).join("\n");
      return <Code text={plain} lang={languageOf(subject(call.input, worktree))} />;
    }
    default:
      return <Output text={output} bytes={call.bytes} failed={call.failed} />;
  }
}
