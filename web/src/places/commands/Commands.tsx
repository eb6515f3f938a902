import { useEffect, useState } from "react";
import { fetchCommands, type Trace } from "../../api/insight";
import { Button } from "../../parts/Button";
import { clock, duration, plural } from "../../parts/format";
import { PlaceFrame } from "../../parts/PlaceFrame";
import { VirtualRows } from "../../parts/VirtualRows";
import { copyText } from "../../state/page/clipboard";
import { attempt } from "../../state/page/notices";
import { shellText } from "../../state/page/shell";
import "./commands.css";

/** Every git command that was run for you, to be read and repeated. */
export default function Commands() {
  const [traces, setTraces] = useState<readonly Trace[] | null>(null);
  const [query, setQuery] = useState("");
  const load = () => void attempt(async () => setTraces(await fetchCommands()));
  useEffect(load, []);
  const shown = (traces ?? []).filter((trace) => fits(trace, query));
  return (
    <PlaceFrame
      title="Command log"
      wide
      says="The git commands that hub and keepers ran, newest first. Credentials are left out."
      tools={
        <>
          <input
            className="field sheet-filter"
            type="search"
            aria-label="Filter the commands"
            placeholder="Filter: word, path, failed"
            value={query}
            onChange={(event) => setQuery(event.target.value)}
          />
          <Button onClick={load}>Look again</Button>
        </>
      }
    >
      {traces !== null && (
        <p className="sr" role="status">
          {plural(shown.length, "command")}
        </p>
      )}
      {traces !== null && shown.length === 0 && (
        <p className="hint">{traces.length === 0 ? "No command was run yet." : "None fits."}</p>
      )}
      <VirtualRows
        label="Commands"
        className="command-rows"
        rows={shown}
        height={27}
        render={(trace) => <Line trace={trace} />}
      />
    </PlaceFrame>
  );
}

function Line({ trace }: { readonly trace: Trace }) {
  const text = shellText(["git", ...trace.argv]);
  const failed = trace.returncode !== 0;
  return (
    <div className="command-line" data-testid="command" data-failed={failed}>
      <time dateTime={trace.at} title={trace.at}>
        {clock(trace.at)}
      </time>
      <code title={`${text}\nin ${trace.cwd}`}>{text}</code>
      <span className="where" title={trace.cwd}>
        <bdi>{trace.cwd}</bdi>
      </span>
      <span className={failed ? "tone-bad" : ""}>{failed ? `exit ${trace.returncode}` : ""}</span>
      <span className="took">{took(trace.seconds)}</span>
      <button
        type="button"
        aria-label={`Copy ${text}`}
        onClick={() => copyText(`cd ${shellText([trace.cwd])} && ${text}`, "Command")}
      >
        Copy
      </button>
    </div>
  );
}

function took(seconds: number): string {
  return seconds < 1 ? `${Math.round(seconds * 1000)} ms` : duration(seconds);
}

function fits(trace: Trace, query: string): boolean {
  const state = trace.returncode === 0 ? "ok" : "failed";
  const text = `${trace.argv.join(" ")} ${trace.cwd} ${state}`.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
