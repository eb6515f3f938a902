import { expect, test } from "vitest";
import { checkOf } from "../src/state/session/checks";

test.each([
  ["pytest -q tests/api", "148 passed in 6.02s", "pytest", "tests", "148 passed"],
  [
    "cd app && python -m pytest",
    "2 failed, 3 passed in 1.1s",
    "pytest",
    "tests",
    "2 failed, 3 passed",
  ],
  ["CI=1 npx vitest run", "      Tests  12 passed (12)", "vitest", "tests", "12 passed"],
  ["npm run lint", "", "npm lint", "lint", ""],
  ["npm test", "Tests: 1 failed, 9 passed", "npm test", "tests", "1 failed, 9 passed"],
  ["make check", "", "make check", "lint", ""],
  [
    "cargo test --all",
    "test result: ok. 9 passed; 0 failed;",
    "cargo test",
    "tests",
    "9 passed; 0 failed",
  ],
  ["go vet ./...", "", "go vet", "lint", ""],
  [
    ".venv/bin/mypy src",
    "Success: no issues found in 3 source files",
    "mypy",
    "types",
    "Success: no issues found",
  ],
  ["uv run ruff check .", "Found 3 errors.", "ruff", "lint", "Found 3 errors"],
  ["poetry run pytest | tail -3", "5 passed in 1s", "pytest", "tests", "5 passed"],
  ["ruff check . && pytest", "5 passed in 1s", "pytest", "tests", "5 passed"],
])("%s is a check", (command, output, name, kind, result) => {
  expect(checkOf(command, output, false)).toMatchObject({ name, kind, result });
});

test.each([
  "ls -la",
  "git status",
  "echo pytest",
  "cat test.py",
  "make",
  "npm install",
  "python app.py",
  "",
])("%s is none", (command) => expect(checkOf(command, "", false)).toBeNull());

test("a check failed by its exit or by its own words", () => {
  expect(checkOf("pytest", "3 passed in 1s", true)?.passed).toBe(false);
  expect(checkOf("pytest | tee log", "1 failed, 3 passed in 1s", false)?.passed).toBe(false);
  expect(checkOf("cargo test", "test result: ok. 9 passed; 0 failed;", false)?.passed).toBe(true);
});
