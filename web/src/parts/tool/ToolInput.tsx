import { subject } from "../../state/tool";
import { Code } from "../code/Code";
import { languageOf } from "../code/highlight";
import "./tool.css";

interface Props {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly worktree: string;
}

/** What a tool is called with, in the form that is easiest to judge. */
export function ToolInput({ tool, input, worktree }: Props) {
  const text = (name: string) => (typeof input[name] === "string" ? (input[name] as string) : null);
  const command = text("command");
  const content = text("content");
  const before = text("old_string");
  const after = text("new_string");
  const lang = languageOf(subject(input, worktree));
  return (
    <div className="tool-input">
      {command === null && (
        <div className="tool-line">
          <b>{tool}</b> {subject(input, worktree)}
        </div>
      )}
      {command !== null && <Code text={command} lang="bash" />}
      {content !== null && <Code text={content} lang={lang} />}
      {before !== null && after !== null && <Replacement before={before} after={after} />}
      {isOther(input) && <Code text={JSON.stringify(input, null, 2)} lang="json" />}
    </div>
  );
}

const KNOWN = ["command", "content", "old_string", "file_path", "path", "pattern", "url", "query"];

function isOther(input: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(input).length > 0 && !KNOWN.some((name) => name in input);
}

function Replacement({ before, after }: { readonly before: string; readonly after: string }) {
  const lines = [
    ...before.split("\n").map((text) => ({ sign: "−", text, look: "removed" })),
    ...after.split("\n").map((text) => ({ sign: "+", text, look: "added" })),
  ];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <pre className="code replacement" tabIndex={0}>
      {lines.map(({ sign, text, look }, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is known by its place
        <div className={look} key={place}>
          {sign} {text}
        </div>
      ))}
    </pre>
  );
}
