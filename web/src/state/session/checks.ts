/** Tests, linters and builds among the commands that an agent ran, and how they ended. */

export type CheckKind = "tests" | "lint" | "types" | "build";

export interface Check {
  readonly name: string;
  readonly kind: CheckKind;
  readonly passed: boolean;
  /** What the runner said last, such as "148 passed"; empty where it says nothing we know. */
  readonly result: string;
}

const RUNNERS: readonly (readonly [RegExp, CheckKind])[] = [
  [/^(py\.?test|tox|nox|unittest|jest|vitest|mocha|ava|rspec|phpunit|ctest|playwright)$/, "tests"],
  [/^(ruff|flake8|pylint|eslint|biome|prettier|clippy|golangci-lint|rubocop|shellcheck)$/, "lint"],
  [/^(mypy|pyright|tsc|pyre)$/, "types"],
  [/^(webpack|vite|rollup|esbuild)$/, "build"],
];
/** Programs that run what their next words name. */
const CARRIERS =
  /^(npx|pnpx|bunx|uvx|uv|poetry|pipenv|hatch|python\d?(\.\d+)?|bundle|env|time|sudo)$/;
const SCRIPTED = /^(npm|pnpm|yarn|bun|make|just|cargo|go|mvn|gradle|gradlew|dotnet|mix|rake|deno)$/;
const BY_WORD: readonly (readonly [RegExp, CheckKind])[] = [
  [/^(test|tests|t|e2e|unit|integration|verify)([:_-]|$)/, "tests"],
  [/^(lint|clippy|fmt|format|check|vet|style)([:_-]|$)/, "lint"],
  [/^(types|typecheck|type-check|tsc)([:_-]|$)/, "types"],
  [/^(build|compile)([:_-]|$)/, "build"],
];

/** The check that a command is, if it is one; of several in a row the last one counts. */
export function checkOf(command: string, output: string, failed: boolean): Check | null {
  const found = checkNamed(command);
  if (found === null) return null;
  const result = resultOf(output);
  return { ...found, passed: !failed && !/\b[1-9]\d* (failed|errors?)\b/.test(result), result };
}

export interface Named {
  readonly name: string;
  readonly kind: CheckKind;
}

/** What check a command is, whatever came of it. */
export function checkNamed(command: string): Named | null {
  const parts = command.split(/&&|\|\||[;\n]/).map(named);
  return parts.findLast((one) => one !== null) ?? null;
}

function named(part: string): Named | null {
  const words = part
    .split("|")[0]
    ?.trim()
    .split(/\s+/)
    .filter((word) => !/^\w+=/.test(word));
  for (let at = 0; words && at < Math.min(words.length, 6); at++) {
    const word = (words[at] ?? "").replace(/^.*\//, "");
    const kind = kindOf(RUNNERS, word);
    if (kind !== null) return { name: word, kind };
    if (SCRIPTED.test(word)) return scripted(word, words.slice(at + 1));
    if (!CARRIERS.test(word) && !/^(-|run$|exec$|-m$)/.test(word)) return null;
  }
  return null;
}

function scripted(program: string, rest: readonly string[]): Named | null {
  const word = rest.find((one) => !one.startsWith("-") && one !== "run" && one !== "run-script");
  const kind = word === undefined ? null : kindOf(BY_WORD, word);
  return kind === null ? null : { name: `${program} ${word}`, kind };
}

function kindOf(table: readonly (readonly [RegExp, CheckKind])[], word: string): CheckKind | null {
  return table.find(([pattern]) => pattern.test(word))?.[1] ?? null;
}

const RESULTS: readonly RegExp[] = [
  /(\d+ failed(?:, \d+ passed)?|\d+ passed)(?:, \d+ \w+)* in [\d.]+/,
  /Tests:?\s+((?:\d+ \w+[,|] ?)*\d+ (?:passed|failed))/,
  /(\d+ failed \| \d+ passed|\d+ passed) \(\d+\)/,
  /test result: \w+\. (\d+ passed; \d+ failed)/,
  /(Ran \d+ tests?[^\n]*)/,
  /(\d+ passing|\d+ failing)/,
  /(Found \d+ errors?)/,
  /(All checks passed|Success: no issues found)/,
];

function resultOf(output: string): string {
  const end = output.slice(-4000);
  for (const pattern of RESULTS) {
    const said = pattern.exec(end)?.[1];
    if (said !== undefined) return said;
  }
  return "";
}
