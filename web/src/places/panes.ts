/**
 * The panes of a session. Where each stands is the layout's business (`state/layout.ts`).
 *
 * To add one: a line here. `key` shows it and moves the focus into it; `side` is where it stands
 * before a person moved it: the first column, the second, or put away (reached by key and menu).
 */

import { createElement, lazy, type ReactNode } from "react";
import type { SessionView } from "../api/types.gen";
import { askFront } from "../state/terminals/wishes";

export interface Pane {
  readonly id: string;
  readonly title: string;
  readonly key: string;
  readonly side: "first" | "second" | "away";
  readonly render: (session: SessionView) => ReactNode;
  /** A short word beside the title, such as a count. */
  readonly badge?: (session: SessionView) => string;
  /** Where the focus goes when the pane is asked for, if not to what scrolls in it. */
  readonly focus?: (session: SessionView) => void;
}

type PaneModule = Promise<{ default: (props: { session: SessionView }) => ReactNode }>;

function loaded(load: () => PaneModule): Pane["render"] {
  const Component = lazy(load);
  return (session) => createElement(Component, { session, key: session.id });
}

export const PANES: readonly Pane[] = [
  {
    id: "conversation",
    title: "Conversation",
    key: "p c",
    side: "first",
    render: loaded(() => import("./conversation/Talk")),
  },
  {
    id: "diff",
    title: "Changes",
    key: "p d",
    side: "second",
    render: loaded(() => import("./diff/DiffPane")),
    badge: (session) => (session.files_changed > 0 ? `${session.files_changed}` : ""),
  },
  {
    id: "landing",
    title: "Landing",
    key: "p m",
    side: "second",
    render: loaded(() => import("./landing/LandingPane")),
    badge: ({ pr }) => (pr ? `#${pr.number}` : ""),
  },
  {
    id: "terminals",
    title: "Terminals",
    key: "p t",
    side: "away",
    render: loaded(() => import("./terminals/TerminalsPane")),
    badge: ({ terminals }) => (terminals.length > 0 ? `${terminals.length}` : ""),
    focus: ({ id, terminals }) => askFront("pane", id, terminals),
  },
  {
    id: "services",
    title: "Services",
    key: "p s",
    side: "away",
    render: loaded(() => import("./services/ServicesPane")),
    badge: ({ services }) => {
      const up = (services ?? []).filter(({ state }) => state !== "crashed").length;
      return up > 0 ? `${up}` : "";
    },
  },
  {
    id: "preview",
    title: "Preview",
    key: "p w",
    side: "away",
    render: loaded(() => import("./preview/PreviewPane")),
  },
  {
    id: "files",
    title: "Files",
    key: "p f",
    side: "away",
    render: loaded(() => import("./files/FilesPane")),
  },
  {
    id: "log",
    title: "Log",
    key: "p l",
    side: "away",
    render: loaded(() => import("./log/LogPane")),
  },
];

export function paneOf(id: string): Pane | undefined {
  return PANES.find((pane) => pane.id === id);
}
