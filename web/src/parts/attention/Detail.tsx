import type { Attention } from "../../api/types.gen";
import { planText, toolOf, wayBack } from "../../state/inbox/attention";
import { visibleBidi } from "../../state/session/plain";
import { Markdown } from "../markdown/Markdown";
import { ToolInput } from "../tool/ToolInput";

interface Props {
  readonly item: Attention;
  readonly worktree: string;
}

/** What an answer has to be based on: the whole plan, the tool's input, or the reason. */
export function Detail({ item, worktree }: Props) {
  switch (item.kind) {
    case "plan":
      return <Markdown text={planText(item)} />;
    case "permission": {
      const { tool, input } = toolOf(item);
      const why = item.detail.reason;
      return (
        <>
          {typeof why === "string" && why !== "" && <p>Asked because: {visibleBidi(why)}</p>}
          <ToolInput tool={tool} input={input} worktree={worktree} />
        </>
      );
    }
    case "question":
      return null;
    case "conflict":
      return (
        <figure className="told">
          <figcaption>What its agent would be told</figcaption>
          <blockquote>{`${item.detail.text ?? ""}`}</blockquote>
        </figure>
      );
    case "issues":
      return <Proposed issues={item.detail.issues} said={item.detail.text} />;
    case "trust":
      return <Verbatim label="What is new" text={`${item.detail.difference ?? ""}`} />;
    default: {
      const said = item.detail.error ?? item.detail.reason ?? item.detail.text;
      const back = wayBack(item);
      return (
        <>
          {typeof said === "string" ? <p className="said">{said}</p> : null}
          <Verbatim label="The way back, for your own shell" text={back.join("\n")} />
        </>
      );
    }
  }
}

interface ProposedProps {
  readonly issues: unknown;
  readonly said: unknown;
}

/** The issues that an agent would have made, each as it would read. */
function Proposed({ issues, said }: ProposedProps) {
  if (!Array.isArray(issues))
    return typeof said === "string" ? <p className="said">{said}</p> : null;
  return issues.map((issue: Record<string, unknown>) => (
    <figure className="told" key={`${issue.title}`}>
      <figcaption>{visibleBidi(`${issue.title ?? ""}`)}</figcaption>
      <blockquote>{visibleBidi(`${issue.body ?? ""}`)}</blockquote>
    </figure>
  ));
}

function Verbatim({ label, text }: { readonly label: string; readonly text: string }) {
  if (text === "") return null;
  return (
    <figure className="told">
      <figcaption>{label}</figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <pre tabIndex={0}>{text}</pre>
    </figure>
  );
}
