import { useMemo, useState } from "react";
import type { AnyEvent, SessionView } from "../../api/types.gen";
import { Button } from "../../parts/Button";
import { Code } from "../../parts/code/Code";
import { clock, plural } from "../../parts/format";
import { VirtualRows } from "../../parts/VirtualRows";
import { saveText } from "../../state/page/download";
import { useConversations } from "../../state/session/conversations";
import { fits, type LogLine, lineOf } from "./lines";
import "./log.css";

const NONE: readonly AnyEvent[] = [];

/** Everything that happened, event by event, the newest first. */
export default function LogPane({ session }: { readonly session: SessionView }) {
  const events = useConversations((state) => state.open[session.id]?.events ?? NONE);
  const [query, setQuery] = useState("");
  const [open, setOpen] = useState(0);
  const lines = useMemo(() => events.map(lineOf).reverse(), [events]);
  const shown = useMemo(() => lines.filter((line) => fits(line, query)), [lines, query]);
  const save = () => {
    const text = events.map((event) => JSON.stringify(event)).join("\n");
    saveText(`${session.slug}.jsonl`, "application/x-ndjson", `${text}\n`);
  };
  return (
    <section className="log" aria-label="Log">
      <div className="log-tools">
        <input
          className="field"
          type="search"
          aria-label="Filter the log"
          placeholder="Filter: tool_called pytest -setup"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
        <span>{plural(shown.length, "event")}</span>
        <Button look="quiet" onClick={save}>
          Save
        </Button>
      </div>
      <VirtualRows
        label="Events"
        rows={shown}
        height={23}
        render={(line) => (
          <Line
            line={line}
            open={line.seq === open}
            onToggle={() => setOpen(line.seq === open ? 0 : line.seq)}
          />
        )}
      />
    </section>
  );
}

interface LineProps {
  readonly line: LogLine;
  readonly open: boolean;
  readonly onToggle: () => void;
}

function Line({ line, open, onToggle }: LineProps) {
  return (
    <div className="log-line" data-testid="log-line" data-type={line.type}>
      <button type="button" aria-expanded={open} onClick={onToggle}>
        <time dateTime={line.at}>{clock(line.at)}</time>
        <b>{line.type}</b>
        <span>{line.gist}</span>
      </button>
      {open && <Code text={JSON.stringify(line.event, null, 2)} lang="json" />}
    </div>
  );
}
