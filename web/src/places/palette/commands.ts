/** All that the palette can find: what keys do here, places, sessions, and files. */

import { fetchLinks } from "../../api/hub";
import type { SessionView } from "../../api/types.gen";
import { stateWord } from "../../parts/session/stateWord";
import { useDiffs } from "../../state/diff/diffs";
import { useFleet } from "../../state/fleet/fleet";
import { keyText } from "../../state/page/chord";
import { copyText } from "../../state/page/clipboard";
import { keyInForce, runKey, useKnownKeys } from "../../state/page/keys";
import { layoutOf, nameLayout, setLayout, useLayouts } from "../../state/page/layouts";
import { attempt } from "../../state/page/notices";
import type { Findable } from "../../state/page/search";
import {
  CONTRASTS,
  MOTIONS,
  setContrast,
  setMotion,
  setTheme,
  THEMES,
} from "../../state/page/theme";
import { PANES } from "../panes";
import { PLACES } from "../places";
import { sessionPath } from "../routes";
import { sessionActions } from "../session/actions";
import { showChanged } from "../session/showFile";

export interface Command extends Findable {
  readonly id: string;
  readonly group: "Actions" | "Sessions" | "Files" | "Look";
  readonly hint: string;
  readonly run: () => void;
}

const LAYOUTS = ["1", "2", "3"];

type Navigate = (path: string) => void;

export function commands(current: SessionView | undefined, navigate: Navigate): Command[] {
  const keys = keyed();
  // What has a key is there with it.
  const named = new Set(keys.map(({ label }) => label));
  const acts = current === undefined ? [] : acting(current);
  return [
    ...keys,
    ...acts.filter(({ label }) => !named.has(label.replace("…", ""))),
    ...places(navigate),
    LINK,
    ...sessions(navigate),
    ...(current === undefined ? [] : files(current)),
    ...looks(),
  ];
}

function keyed(): Command[] {
  return useKnownKeys
    .getState()
    .known.filter((one) => one.active && !one.id.startsWith("page:Alt+") && one.label !== "")
    .map(({ id, scope, key, label }) => ({
      id,
      group: "Actions",
      label,
      more: scope,
      hint: keyText(keyInForce(scope, key)),
      run: () => runKey(id),
    }));
}

function acting(session: SessionView): Command[] {
  return sessionActions(session).map(({ id, label, run }) => ({
    id,
    group: "Actions",
    label,
    more: session.title,
    hint: "",
    run,
  }));
}

function places(navigate: Navigate): Command[] {
  return PLACES.filter(({ path, key }) => key === undefined && !path.includes(":")).map(
    ({ path, title }) => ({
      id: path,
      group: "Actions",
      label: `Go to ${title.toLowerCase()}`,
      more: "",
      hint: "",
      run: () => navigate(path),
    }),
  );
}

/** For a phone or another machine: under the hub's other name where it has one. */
const LINK: Command = {
  id: "link",
  group: "Actions",
  label: "Copy a link for another device",
  more: "phone tunnel one-time",
  hint: "",
  run: () =>
    void attempt(async () => {
      const { url, others } = await fetchLinks();
      copyText(others[0] ?? url, "Link");
    }),
};

function sessions(navigate: Navigate): Command[] {
  return Object.values(useFleet.getState().sessions).map((session) => ({
    id: session.id,
    group: "Sessions",
    label: session.title,
    more: `${session.branch} ${session.agent} ${session.repo} ${session.id}`,
    hint: stateWord(session),
    run: () => navigate(sessionPath(session.id)),
  }));
}

/** The changed files of the session on screen; choosing one shows it in the changes. */
function files(session: SessionView): Command[] {
  return (useDiffs.getState().open[session.id]?.files ?? []).map(({ file }) => ({
    id: `file:${file.path}`,
    group: "Files",
    label: file.path,
    more: file.status,
    hint: file.status,
    run: () => showChanged(file.path),
  }));
}

function looks(): Command[] {
  const look = (label: string, run: () => void): Command => ({
    id: label,
    group: "Look",
    label,
    more: "look appearance",
    hint: "",
    run,
  });
  const { named } = useLayouts.getState();
  return [
    ...THEMES.map((theme) => look(`Theme: ${theme}`, () => setTheme(theme))),
    ...CONTRASTS.map((contrast) => look(`Contrast: ${contrast}`, () => setContrast(contrast))),
    ...MOTIONS.map((motion) => look(`Motion: ${motion}`, () => setMotion(motion))),
    ...Object.entries(named).map(([name, layout]) =>
      look(`Layout: ${name}`, () => setLayout(layout)),
    ),
    ...LAYOUTS.map((name) =>
      look(`Keep the panes as layout ${name}`, () => nameLayout(name, layoutOf(PANES))),
    ),
  ];
}
