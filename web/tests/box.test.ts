import { expect, test } from "vitest";
import type { AnyEvent, BoxDetail } from "../src/api/types.gen";
import { waitsFor } from "../src/state/inbox/attention";
import { boxLabel, boxTitle, givenUp, isLess, modeSays } from "../src/state/session/box";
import { noteOf } from "../src/state/session/note";
import { activity, stepsText, subject } from "../src/state/session/tool";
import { item } from "./sample";

const FULL: BoxDetail = {
  level: "full",
  by: "bubblewrap",
  network: "open",
  wanted: "full",
  wanted_network: "open",
  own: null,
  own_network: null,
  reason: "",
  fix: "",
  promise: "nothing outside the worktree can be changed",
  pending: false,
};
const LISTED: BoxDetail = { ...FULL, network: "listed", wanted_network: "listed" };
const NONE: BoxDetail = {
  ...FULL,
  level: "none",
  by: "",
  promise: "",
  reason: "bubblewrap is not installed",
  fix: "`sudo apt install bubblewrap`",
};

test("a box is told in a few words, and seen where it is less than full", () => {
  expect([FULL, LISTED, NONE].map(boxLabel)).toEqual([
    "box full",
    "box full, network listed",
    "no box",
  ]);
  expect([FULL, NONE].map(isLess)).toEqual([false, true]);
  expect(boxTitle(FULL)).toBe(
    "Box: full by bubblewrap, network open. Nothing outside the worktree can be changed",
  );
  expect(boxTitle(NONE)).toBe(
    "Box: none. Bubblewrap is not installed; `sudo apt install bubblewrap`",
  );
  expect(boxTitle({ ...FULL, pending: true })).toMatch(/another was chosen, from the next turn$/);
});

test("a choice that confines less says what is given up, and no other does", () => {
  expect(givenUp(FULL, "none", "")).toMatch(/^Nothing would confine/);
  expect(givenUp(FULL, "files", "")).toMatch(/^Only files/);
  expect(givenUp(LISTED, "", "open")).toMatch(/reach more/);
  expect(givenUp(FULL, "full", "listed")).toBe("");
  expect(givenUp(FULL, "", "")).toBe("");
  expect(givenUp({ ...FULL, wanted: "none" }, "none", "")).toBe("");
});

test("auto says what the box guarantees", () => {
  expect(modeSays("auto", "does it", LISTED)).toBe(
    "does it · in a full box with listed network, nothing outside the worktree can be changed",
  );
  expect(modeSays("ask", "asks", LISTED)).toBe("asks");
  expect(modeSays("auto", "does it", NONE)).toBe("does it");
});

test("a host that a box wants to reach is named", () => {
  const input = { host: "example.com", port: 443 };
  const asked = {
    ...item("i", "permission", ""),
    summary: "Network: example.com:443 (it is not on the list)",
    detail: { tool: "Network", input },
  };
  expect(waitsFor(asked)).toBe("Permission: wants to reach example.com:443");
  expect(subject(input, "")).toBe("example.com:443");
  expect(activity("Network", input, "")).toBe("reaching example.com:443");
  expect(stepsText([{ tool: "Network", input }])).toBe("Reached 1 host");
});

test("a choice leaves a line, what was entered leaves none", () => {
  const event = (fields: object) => ({ seq: 1, at: "", ...fields }) as AnyEvent;
  const text = (fields: object) => noteOf(event(fields))?.text;
  expect(text({ type: "box_changed", level: "none" })).toBe("You chose no box, from the next turn");
  expect(text({ type: "box_changed", level: "full", network: "listed" })).toBe(
    "You chose a full box, network listed, from the next turn",
  );
  expect(text({ type: "box_changed" })).toBe("The box is the configured one");
  expect(noteOf(event({ type: "box_entered", level: "full" }))).toBeNull();
});
