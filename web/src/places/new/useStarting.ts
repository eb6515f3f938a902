/** Starts one session or several; what could not be started stays in the draft. */

import { useState } from "react";
import { useLocation } from "wouter";
import { newSession } from "../../api/hub";
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
  readonly busy: boolean;
  readonly ready: boolean;
  readonly start: () => Promise<void>;
}

export function useStarting(form: Form): Starting {
  const [text, keep] = useState(() => draft(DRAFT));
  const [several, setSeveral] = useState(() => isList(draft(DRAFT)));
  const files = useAttachments(DRAFT);
  const [busy, setBusy] = useState(false);
  const [, navigate] = useLocation();
  const setText = (next: string) => {
    if (isList(next) && !isList(text)) setSeveral(true);
    keep(next);
    setDraft(DRAFT, next);
  };
  const tasks = several ? tasksOf(text) : [text.trim()].filter(Boolean);
  const ready = tasks.length > 0 && form.repo?.trusted === true && !busy;
  const start = async () => {
    if (!ready) return;
    setBusy(true);
    const choice = { ...form.choice(), attachments: files.files };
    const made = await Promise.all(tasks.map((task) => startOne({ ...choice, text: task })));
    setBusy(false);
    setText(tasks.filter((_, place) => made[place] === null).join("\n"));
    const started = made.filter((session) => session !== null);
    if (started.length < tasks.length) return;
    files.clear();
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
    busy,
    ready,
    start,
  };
}

async function startOne(body: Parameters<typeof newSession>[0]): Promise<SessionView | null> {
  let made: SessionView | null = null;
  await attempt(async () => {
    made = await newSession({ ...body, detach: true });
    putSession(made);
  });
  return made;
}
