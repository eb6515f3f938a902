import { lineDiff } from "../../state/diff/linediff";
import { visibleBidi } from "../../state/session/plain";
import { todosIn } from "../../state/session/todos";
import {
  type Input,
  replacements,
  subject,
  text,
  toolKind,
  toolName,
} from "../../state/session/tool";
import { Code } from "../code/Code";
import { languageOf } from "../code/highlight";
import { Markdown } from "../markdown/Markdown";
import { PatchLines } from "../patch/PatchLines";
import { TodoList } from "../session/TodoList";
import "./tool.css";

interface Props {
  readonly tool: string;
  readonly input: Input;
  readonly worktree: string;
  /** Whether the line above says already what is called on what. */
  readonly headed?: boolean;
}

/** What a tool is called with, in the form that is easiest to judge. */
export function ToolInput({ tool, input, worktree, headed = false }: Props) {
  const kind = toolKind(tool, input);
  const about = visibleBidi(subject(input, worktree));
  const lang = languageOf(about);
  return (
    <div className="tool-input">
      {!headed && kind !== "command" && kind !== "todos" && (
        <div className="tool-line">
          <b>{kind === "reach" ? "Reach" : toolName(tool)}</b> {about}
        </div>
      )}
      {kind === "command" && <Code text={visibleBidi(text(input, "command") ?? "")} lang="bash" />}
      {kind === "write" && (
        <PatchLines lines={lineDiff("", text(input, "content") ?? "")} lang={lang} />
      )}
      {kind === "edit" &&
        replacements(input).map(({ before, after }, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an edit is known by its place
          <PatchLines key={place} lines={lineDiff(before, after)} lang={lang} />
        ))}
      {kind === "delegate" && <Markdown text={text(input, "prompt") ?? ""} />}
      {kind === "todos" && <TodoList todos={todosIn(input)} />}
      {isOther(kind, input) && <Code text={JSON.stringify(input, null, 2)} lang="json" />}
    </div>
  );
}

/** Whether there is more to the input than its one line says. */
function isOther(kind: string, input: Input): boolean {
  if (kind === "search" || kind === "fetch") return Object.keys(input).length > 1;
  return kind === "other" && Object.keys(input).length > 0;
}
