/** Sessions and attention as the hub would show them, with the fields that a test cares about. */

import type { Attention, SessionView } from "../src/api/types.gen";

export function session(fields: Partial<SessionView>): SessionView {
  const usual: Partial<SessionView> = {
    id: "s",
    title: "",
    repo: "",
    branch: "",
    agent: "",
    model: "",
    mode: "ask",
    status: "idle",
    attention: [],
    unread: false,
    cost_usd: 0,
    added: 0,
    removed: 0,
    files_changed: 0,
    created_at: "",
    updated_at: "",
    error: null,
    follow_ups: [],
  };
  return { ...usual, ...fields } as SessionView;
}

export function item(id: string, kind: Attention["kind"], raised_at: string): Attention {
  return {
    id,
    kind,
    raised_at,
    session: "s",
    conversation: "main",
    summary: "",
    detail: {},
    options: [],
    resolved_at: null,
    snoozed_until: null,
    resolution: null,
  };
}
