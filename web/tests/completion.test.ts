import { expect, test } from "vitest";
import { askedAt, bestPaths, completed } from "../src/places/conversation/composer/completion";

test.each([
  ["@", { kind: "file", query: "", from: 0, to: 1 }],
  ["look at @src/ap", { kind: "file", query: "src/ap", from: 8, to: 15 }],
  ["(@a", { kind: "file", query: "a", from: 1, to: 3 }],
  ["/comp", { kind: "command", query: "comp", from: 0, to: 5 }],
])("%s asks", (text, asked) => expect(askedAt(text, text.length)).toEqual(asked));

test.each(["me@example.com", "a /b", "@a b", "/a b", "", "say@"])("%s asks nothing", (text) =>
  expect(askedAt(text, text.length)).toBeNull());

test("the choice stands where it was asked for", () => {
  const text = "see @ap and go";
  const asked = askedAt(text, 7);
  expect(asked).not.toBeNull();
  if (asked) expect(completed(text, asked, "app.py")).toEqual(["see @app.py and go", 12]);
});

test("a name counts before its folder, short before long", () => {
  const paths = ["apple/readme.md", "lib/app.py", "lib/application.py", "x/y.py", "b/q.py"];
  expect(bestPaths(paths, "app", 9)).toEqual([
    "lib/app.py",
    "lib/application.py",
    "apple/readme.md",
  ]);
  expect(bestPaths(paths, "lap", 9)).toEqual(["lib/app.py", "lib/application.py"]);
  expect(bestPaths(paths, "", 2)).toEqual(paths.slice(0, 2));
});
