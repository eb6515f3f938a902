import { describe, expect, it } from "vitest";
import {
  dropped,
  type Layout,
  moved,
  placed,
  reconciled,
  showing,
  usualLayout,
  weighted,
  without,
} from "../src/state/page/layout";

const PANES = [
  { id: "talk", side: "first" },
  { id: "diff", side: "second" },
  { id: "files", side: "away" },
] as const;

/** A layout as text: columns by `|`, stacks by `/`, tabs by `,`, the front one in capitals. */
function drawn(layout: Layout): string {
  const stack = ({ panes, active }: Layout["columns"][number]["stacks"][number]) =>
    panes.map((id) => (id === active ? id.toUpperCase() : id)).join(",");
  return layout.columns.map((column) => column.stacks.map(stack).join("/")).join(" | ");
}

const usual = usualLayout(PANES);

describe("a layout", () => {
  it("begins with conversation and changes side by side", () => {
    expect(drawn(usual)).toBe("TALK | DIFF");
  });

  it("takes what was put away into its last column", () => {
    expect(drawn(showing(usual, "files"))).toBe("TALK | diff,FILES");
  });

  it("moves a pane among its neighbour's tabs, and stays where there is nothing beyond", () => {
    expect(drawn(moved(usual, "talk", "right"))).toBe("diff,TALK");
    expect(drawn(moved(usual, "talk", "left"))).toBe("TALK | DIFF");
  });

  it("makes a column and a stack of its own at the edge", () => {
    const both = showing(usual, "files");
    expect(drawn(moved(both, "files", "right"))).toBe("TALK | DIFF | FILES");
    expect(drawn(moved(both, "files", "down"))).toBe("TALK | DIFF/FILES");
    expect(drawn(moved(both, "files", "up"))).toBe("TALK | FILES/DIFF");
  });

  it("moves between stacks of a column and back", () => {
    const below = moved(showing(usual, "files"), "files", "down");
    expect(drawn(moved(below, "files", "up"))).toBe("TALK | diff,FILES");
  });

  it("drops a pane at any edge of any stack, and on itself changes nothing", () => {
    expect(drawn(dropped(usual, "talk", { column: 1, stack: 0, edge: "down" }))).toBe("DIFF/TALK");
    expect(drawn(dropped(usual, "diff", { column: 0, stack: 0, edge: "left" }))).toBe(
      "DIFF | TALK",
    );
    expect(dropped(usual, "diff", { column: 1, stack: 0, edge: "tabs" })).toBe(usual);
  });

  it("leaves no empty column behind, and never loses a pane by a move", () => {
    expect(drawn(without(usual, "talk"))).toBe("DIFF");
    for (const to of ["left", "right", "up", "down"] as const)
      expect(placed(moved(usual, "diff", to)).sort()).toEqual(["diff", "talk"]);
  });

  it("keeps a person's choice when panes come and go", () => {
    const chosen = without(usual, "diff");
    expect(drawn(reconciled(chosen, PANES))).toBe("TALK");
    const more = [...PANES, { id: "landing", side: "second" } as const];
    expect(drawn(reconciled(chosen, more))).toBe("TALK | LANDING");
    expect(drawn(reconciled(usual, PANES.slice(1)))).toBe("DIFF");
  });

  it("shares the room of columns, or of one column's stacks", () => {
    const wide = weighted(usual, [0.75, 0.25]);
    expect(wide.columns.map(({ weight }) => weight)).toEqual([0.75, 0.25]);
    const high = weighted(
      dropped(usual, "files", { column: 1, stack: 0, edge: "down" }),
      [3, 1],
      1,
    );
    expect(high.columns[1]?.stacks.map(({ weight }) => weight)).toEqual([3, 1]);
    expect(high.columns.map(({ weight }) => weight)).toEqual([1, 1.3]);
  });
});
