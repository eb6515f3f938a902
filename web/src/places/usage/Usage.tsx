import { useEffect, useMemo, useState } from "react";
import { fetchUsage, type UsageCell } from "../../api/insight";
import { Button } from "../../parts/Button";
import { PlaceFrame } from "../../parts/PlaceFrame";
import { Segments } from "../../parts/Segments";
import { saveText } from "../../state/page/download";
import { attempt } from "../../state/page/notices";
import {
  csvOf,
  dayBefore,
  type Group,
  MEASURES,
  type Measure,
  spanOf,
  today,
} from "../../state/usage";
import { Days } from "./Days";
import { Table } from "./Table";
import { Totals } from "./Totals";
import "./usage.css";

const SPANS = ["7", "30", "90", "all"] as const;
type Span = (typeof SPANS)[number];
const MOST_DAYS = 366;

/** What agents cost and how long they worked and waited, over days and by what it went to. */
export default function Usage() {
  const [cells, setCells] = useState<readonly UsageCell[] | null>(null);
  const [span, setSpan] = useState<Span>("30");
  const [measure, setMeasure] = useState<Measure>("cost");
  const [group, setGroup] = useState<Group>("repo");
  useEffect(() => {
    void attempt(async () => setCells(await fetchUsage()));
  }, []);
  const last = today();
  const days = span === "all" ? Math.min(MOST_DAYS, spanOf(cells ?? [], last)) : Number(span);
  const shown = useMemo(() => {
    const first = dayBefore(last, days - 1);
    return (cells ?? []).filter(({ day }) => day >= first && day <= last);
  }, [cells, last, days]);
  return (
    <PlaceFrame
      title="Usage"
      says="What agents reported, by the days of this machine. Time works while a turn runs and waits while you are asked."
      tools={
        <>
          <Segments
            label="Days"
            options={SPANS.map((id) => ({ id, label: id === "all" ? "All" : `${id} days` }))}
            chosen={span}
            onChoose={setSpan}
          />
          <Export cells={shown} />
        </>
      }
    >
      {cells !== null && cells.length === 0 && (
        <p className="hint">
          Nothing was used yet. Costs and times appear here with the first turn of an agent.
        </p>
      )}
      {cells !== null && cells.length > 0 && (
        <>
          <Totals cells={shown} />
          <Segments
            label="Measure"
            options={MEASURES.map((id) => ({ id, label: id }))}
            chosen={measure}
            onChoose={setMeasure}
          />
          <Days cells={shown} last={last} days={days} measure={measure} />
          <Table cells={shown} group={group} onGroup={setGroup} />
        </>
      )}
    </PlaceFrame>
  );
}

function Export({ cells }: { readonly cells: readonly UsageCell[] }) {
  const name = `manyhands-usage-${today()}`;
  return (
    <>
      <Button
        disabled={cells.length === 0}
        onClick={() => saveText(`${name}.csv`, "text/csv", csvOf(cells))}
      >
        CSV
      </Button>
      <Button
        disabled={cells.length === 0}
        onClick={() => saveText(`${name}.json`, "application/json", JSON.stringify(cells, null, 1))}
      >
        JSON
      </Button>
    </>
  );
}
