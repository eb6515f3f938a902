import { type CSSProperties, useEffect, useState } from "react";
import { Link, useSearch } from "wouter";
import type { DiffFile } from "../../api/answers";
import { fetchFiles } from "../../api/hub";
import type { SessionView } from "../../api/types.gen";
import { money } from "../../parts/format";
import { StateIcon } from "../../parts/session/StateIcon";
import { stateWord } from "../../parts/session/stateWord";
import { useFleet } from "../../state/fleet/fleet";
import { useGlances, watch } from "../../state/fleet/glances";
import { useHub } from "../../state/hub";
import { attempt } from "../../state/page/notices";
import { sessionPath } from "../routes";
import { FileTable } from "./FileTable";
import "./compare.css";

/** Several sessions beside each other: their facts, their last words, and who changed which file. */
export default function Compare() {
  const ids = new URLSearchParams(useSearch()).get("of")?.split(",") ?? [];
  const sessions = useFleet((fleet) => fleet.sessions);
  const shown = ids.map((id) => sessions[id]).filter((session) => session !== undefined);
  const files = useFiles(shown.map((session) => session.id).join());
  if (shown.length === 0) return <Nobody />;
  return (
    <main className="compare" data-testid="compare">
      <h1>Compare {shown.length} sessions</h1>
      <table style={{ "--sessions": shown.length } as CSSProperties}>
        <thead>
          <tr>
            <th scope="col">
              <span className="sr">Fact</span>
            </th>
            {shown.map((session) => (
              <th key={session.id} scope="col">
                <StateIcon session={session} />{" "}
                <Link href={sessionPath(session.id)}>{session.title}</Link>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {FACTS.map(([name, told]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {shown.map((session) => (
                <td key={session.id}>{told(session)}</td>
              ))}
            </tr>
          ))}
          <tr>
            <th scope="row">Last words</th>
            {shown.map((session) => (
              <td key={session.id}>
                <Words id={session.id} />
              </td>
            ))}
          </tr>
        </tbody>
        <FileTable ids={shown.map((session) => session.id)} files={files} />
      </table>
    </main>
  );
}

const FACTS: readonly (readonly [string, (session: SessionView) => string])[] = [
  ["State", stateWord],
  ["Agent", (session) => [session.agent, session.model].filter(Boolean).join(" ")],
  ["Mode", (session) => session.mode],
  ["Branch", (session) => session.branch],
  ["Turns", (session) => `${session.turn}`],
  ["Cost", (session) => money(session.cost_usd)],
  ["Lines", (session) => `+${session.added} −${session.removed}`],
];

function Words({ id }: { readonly id: string }) {
  return <p className="words">{useGlances((state) => state.seen[id]?.words ?? "")}</p>;
}

function useFiles(ids: string): Readonly<Record<string, readonly DiffFile[]>> {
  const [files, setFiles] = useState<Readonly<Record<string, readonly DiffFile[]>>>({});
  const open = useHub((hub) => hub.connection === "open");
  useEffect(() => {
    const all = ids === "" ? [] : ids.split(",");
    if (!open) return undefined;
    watch(all);
    for (const id of all) {
      void attempt(async () => {
        const own = await fetchFiles(id);
        setFiles((known) => ({ ...known, [id]: own }));
      });
    }
    return () => watch([]);
  }, [ids, open]);
  return files;
}

function Nobody() {
  return (
    <main className="empty" data-testid="compare">
      <h1>Nothing to compare</h1>
      <p>
        Choose two or more sessions in the list with <code>x</code> or Ctrl and a click, then
        Compare.
      </p>
    </main>
  );
}
