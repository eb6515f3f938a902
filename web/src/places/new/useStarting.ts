/** Starts one session or several; what could not be started stays in the draft. */

import { useState } from "react";
import { useLocation } from "wouter";
import { newSession } from "../../api/hub";
import type { Issue } from "../../api/issues";
import type { SessionView } from "../../api/types.gen";
import { putSession } from "../../state/fleet/fleet";
import { attempt } from "../../state/page/notices";
import { uncover } from "../../state/page/screen";
import { type Attaching, useAttachments } from "../../state/session/attachments";
import { draft, setDraft } from "../../state/session/drafts";
import { sessionPath, WALL } from "../routes";
import { isList, tasksOf } from "./tasks";
import type { Form } from "./useForm";

const DRAFT = "new";

export interface Starting {
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly several: boolean;
  readonly setSeveral: (several: boolean) => void;
  readonly files: Attaching;
  readonly count: number;
  /** Those that become sessions; the words then go with each of them. */
  readonly issues: readonly Issue[];
  readonly setIssues: (issues: readonly Issue[]) => void;
  readonly busy: boolean;
  readonly ready: boolean;
  readonly start: () => Promise<void>;
}

export function useStarting(form: Form): Starting {
  const [text, keep] = useState(() => draft(DRAFT));
  const [several, setSeveral] = useState(() => isList(draft(DRAFT)));
  const files = useAttachments(DRAFT);
  const [issues, setIssues] = useState<readonly Issue[]>([]);
  const [busy, setBusy] = useState(false);
  const [, navigate] = useLocation();
  const setText = (next: string) => {
    if (isList(next) && !isList(text)) setSeveral(true);
    keep(next);
    setDraft(DRAFT, next);
  };
  const tasks = tasksFor(text, several, issues);
  const ready = tasks.length > 0 && form.repo?.trusted === true && !busy;
  const start = async () => {
    if (!ready) return;
    setBusy(true);
    const choice = { ...form.choice(), attachments: files.files };
    const made = await Promise.all(tasks.map((task) => startOne({ ...choice, ...task })));
    setBusy(false);
    const left = tasks.filter((_, place) => made[place] === null);
    if (issues.length > 0) setIssues(issues.filter(({ ref }) => isAmong(left, ref)));
    else setText(left.map((task) => task.text).join("\n"));
    const started = made.filter((session) => session !== null);
    if (started.length < tasks.length) return;
    await files.clear();
    setText("");
    uncover();
    const [first] = started;
    if (first) navigate(started.length > 1 ? WALL : sessionPath(first.id));
  };
  return {
    text,
    setText,
    several,
    setSeveral,
    files,
    count: tasks.length,
    issues,
    setIssues,
    busy,
    ready,
    start,
  };
}

interface Task {
  readonly text: string;
  readonly issue?: string;
}

function tasksFor(text: string, several: boolean, issues: readonly Issue[]): readonly Task[] {
  const words = text.trim();
  if (issues.length > 0) return issues.map(({ ref }) => ({ text: words, issue: ref }));
  const tasks = several ? tasksOf(text) : [words].filter(Boolean);
  return tasks.map((task) => ({ text: task }));
}

const isAmong = (tasks: readonly Task[], ref: string) => tasks.some(({ issue }) => issue === ref);

async function startOne(body: Parameters<typeof newSession>[0]): Promise<SessionView | null> {
  let made: SessionView | null = null;
  await attempt(async () => {
    made = await newSession({ ...body, detach: true });
    putSession(made);
  });
  return made;
}
