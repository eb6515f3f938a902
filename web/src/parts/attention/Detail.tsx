import type { Attention } from "../../api/types.gen";
import { planText, toolOf } from "../../state/inbox/attention";
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
      return <ToolInput tool={tool} input={input} worktree={worktree} />;
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
    default: {
      const said = item.detail.error ?? item.detail.reason ?? item.detail.text;
      return typeof said === "string" ? <p>{said}</p> : null;
    }
  }
}
