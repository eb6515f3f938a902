/** What an attention item holds, read tolerantly: its detail is the agent's own input. */

import type { Asker, Attention, AttentionKind, Option } from "../../api/types.gen";
import { subject } from "../session/tool";

export interface Choice {
  readonly id: string;
  readonly label: string;
  readonly description: string;
}

export interface Question {
  readonly header: string;
  readonly text: string;
  readonly many: boolean;
  readonly choices: readonly Choice[];
}

const WORDS: Readonly<Record<AttentionKind, string>> = {
  plan: "Plan",
  permission: "Permission",
  question: "Question",
  budget: "Budget",
  limit: "Limit",
  setup_failed: "Setup failed",
  agent_died: "Agent stopped",
  trust: "Trust",
  stray_edit: "Stray edit",
  bell: "Bell",
  conflict: "Conflict",
  landing: "Landing",
  issues: "Issues",
};

export const kindWord = (kind: AttentionKind): string => WORDS[kind] ?? kind;

/** What an item is about; a stray edit may be a loss. */
export function itemWord(item: Attention): string {
  if (item.kind !== "stray_edit") return kindWord(item.kind);
  if ("gone" in item.detail) return "Worktree lost";
  if ("lost" in item.detail) return "Lost";
  if ("unkept" in item.detail) return "Not kept";
  return "stash" in item.detail ? "Stash" : kindWord(item.kind);
}

/** One line for a list: what is waited for. */
export function waitsFor(item: Attention): string {
  const summary = ownSummary(item);
  return summary ? `${itemWord(item)}: ${summary}` : itemWord(item);
}

/** The summary as it reads after the kind's word, without saying that word again. */
export function ownSummary(item: Attention): string {
  const { tool, input } = toolOf(item);
  if (tool === "Network") return `wants to reach ${subject(input, "")}`;
  const word = itemWord(item);
  const repeats = item.summary.toLowerCase().startsWith(word.toLowerCase());
  return repeats ? item.summary.slice(word.length).replace(/^[\s,:]+/, "") : item.summary;
}

export function planText(item: Attention): string {
  return text(item.detail.plan) || item.summary;
}

export function toolOf(item: Attention): { tool: string; input: Record<string, unknown> } {
  const input = item.detail.input;
  return {
    tool: text(item.detail.tool) || text(item.detail.tool_name),
    input: isRecord(input) ? input : {},
  };
}

/** Commands for a person's own shell that undo what the item tells of. */
export function wayBack(item: Attention): string[] {
  const lines = item.detail.way_back;
  return Array.isArray(lines) ? lines.filter((line) => typeof line === "string") : [];
}

export function questionsOf(item: Attention): Question[] {
  const asked = Array.isArray(item.detail.questions) ? item.detail.questions : [];
  const questions = asked.filter(isRecord).map((question, place) => ({
    header: text(question.header),
    text: text(question.question),
    many: question.multiSelect === true,
    choices: choices(question.options, item.options, place + 1),
  }));
  if (questions.length > 0) return questions;
  const all = item.options.map((option) => ({ ...option, description: "" }));
  return [{ header: "", text: item.summary, many: false, choices: all }];
}

function choices(offered: unknown, options: readonly Option[], question: number): Choice[] {
  const descriptions = Array.isArray(offered) ? offered.filter(isRecord) : [];
  return descriptions.map((choice, place) => {
    const id = `q${question}.${place + 1}`;
    const label = options.find((option) => option.id === id)?.label ?? text(choice.label);
    return { id, label, description: text(choice.description) };
  });
}

/** An item with what the log says of its answer. */
export type Answered = Attention & { readonly asked_by?: Asker | null };

/** How a settled item was answered, in the words of its options, and by whom. */
export function answerText(item: Answered): string {
  const { options = [], text: words = "" } = item.resolution ?? {};
  const labels = options.map((id) => labelOf(item, id));
  const what = [labels.join(", "), words].filter(Boolean).join(" · ") || "settled";
  return [what, askerText(item.asked_by)].filter(Boolean).join(" · ");
}

const WAYS = { cli: "from the command line", page: "from the page", api: "over the API" };

/** Who asked for it; what the hub did not see for itself is not repeated. */
export function askerText(asker: Asker | null | undefined): string {
  if (asker == null) return "";
  const program = asker.via === "page" && asker.program ? ` in ${titled(asker.program)}` : "";
  return `by you, ${WAYS[asker.via]}${program}`;
}

const titled = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);

function labelOf(item: Attention, id: string): string {
  const known = item.options.find((option) => option.id === id)?.label;
  const asked = questionsOf(item).flatMap((question) => question.choices);
  return known ?? asked.find((choice) => choice.id === id)?.label ?? id;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
