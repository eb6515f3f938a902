import { expect, test } from "vitest";
import { askerText } from "../src/state/inbox/attention";

test("who settled an item is told by the way in and the browser", () => {
  const asker = { token: "page", pid: 7, seen: true } as const;
  expect(askerText({ ...asker, via: "page", program: "firefox" })).toBe(
    "by you, from the page in Firefox",
  );
  expect(askerText({ ...asker, via: "page" })).toBe("by you, from the page");
  expect(askerText({ ...asker, via: "cli", program: "manyhands" })).toBe(
    "by you, from the command line",
  );
  expect(askerText(null)).toBe("");
});
