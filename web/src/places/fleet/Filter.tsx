import type { KeyboardEvent } from "react";
import {
  GROUPINGS,
  setFilter,
  setGrouping,
  useSelection,
  useSidebar,
} from "../../state/fleet/sidebar";

const WORDS = { state: "by state", repo: "by repository" } as const;

/** Narrows the list down by words, and says how it is grouped. */
export function Filter() {
  const filter = useSelection((selection) => selection.filter);
  const by = useSidebar((sidebar) => sidebar.by);
  const press = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key !== "Escape" && event.key !== "Enter") return;
    if (event.key === "Escape") setFilter("");
    event.currentTarget.blur();
  };
  return (
    <div className="fleet-top">
      <input
        className="filter"
        type="search"
        aria-label="Filter sessions"
        placeholder="Filter  /"
        data-testid="filter"
        value={filter}
        onChange={(event) => setFilter(event.target.value)}
        onKeyDown={press}
      />
      <button
        type="button"
        className="grouping"
        title="Change the grouping"
        onClick={() => setGrouping(GROUPINGS[(GROUPINGS.indexOf(by) + 1) % 2] ?? "state")}
      >
        {WORDS[by]}
      </button>
    </div>
  );
}
