/**
 * The places of the page: each has an address, a name, and perhaps a tab and a key.
 *
 * A place is its own chunk, loaded when first visited. To add one: a line here.
 */

import { type ComponentType, lazy } from "react";
import {
  ARCHIVE,
  COMMANDS,
  COMPARE,
  CONFLICTS,
  INBOX,
  JOBS,
  SESSION,
  SETTINGS,
  TRAIN,
  USAGE,
  WALL,
  WELCOME,
} from "./routes";

export interface Place {
  readonly path: string;
  readonly title: string;
  /** The key that goes there. */
  readonly key?: string;
  /** Whether it stands in the top bar; the others are reached by palette, menu and key. */
  readonly tab?: boolean;
  readonly component: ComponentType<{ readonly id?: string }>;
}

export const PLACES: readonly Place[] = [
  {
    path: WALL,
    title: "Wall",
    key: "g w",
    tab: true,
    component: lazy(() => import("./wall/Wall")),
  },
  {
    path: INBOX,
    title: "Inbox",
    key: "g i",
    tab: true,
    component: lazy(() => import("./inbox/Inbox")),
  },
  {
    path: TRAIN,
    title: "Train",
    key: "g t",
    tab: true,
    component: lazy(() => import("./train/TrainPlace")),
  },
  {
    path: CONFLICTS,
    title: "Conflicts",
    key: "g x",
    tab: true,
    component: lazy(() => import("./conflicts/Conflicts")),
  },
  {
    path: USAGE,
    title: "Usage",
    key: "g u",
    tab: true,
    component: lazy(() => import("./usage/Usage")),
  },
  {
    path: SETTINGS,
    title: "Settings",
    key: "g ,",
    tab: true,
    component: lazy(() => import("./settings/Settings")),
  },
  {
    path: ARCHIVE,
    title: "Archive",
    key: "g a",
    component: lazy(() => import("./archive/ArchivePlace")),
  },
  {
    path: COMMANDS,
    title: "Command log",
    key: "g c",
    component: lazy(() => import("./commands/Commands")),
  },
  { path: JOBS, title: "Jobs", key: "g j", component: lazy(() => import("./jobs/Jobs")) },
  { path: COMPARE, title: "Compare", component: lazy(() => import("./compare/Compare")) },
  { path: WELCOME, title: "First steps", component: lazy(() => import("./welcome/Welcome")) },
  { path: SESSION, title: "Session", component: lazy(() => import("./session/Session")) },
];
