/** The diff on the screen follows what keepers show, and asks only for what they did not. */

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { DiffChanged, FileDiff, FileStatus, Patched } from "../src/api/types.gen";
import { noteDiffs, setLook, showDiff, treeSeen, useDiffs } from "../src/state/diff/diffs";

const SESSION = "s1";
let asked: string[] = [];
/** What the hub would answer, by path: the content, which is its own name. */
let disk: Record<string, string> = {};
let held: Promise<void> = Promise.resolve();

beforeEach(() => {
  vi.useFakeTimers();
  asked = [];
  disk = { "a.txt": "one", "b.txt": "one" };
  held = Promise.resolve();
  vi.stubGlobal("localStorage", { getItem: () => "token" });
  vi.stubGlobal("fetch", async (address: string) => {
    asked.push(address);
    const body = JSON.stringify(answer(new URL(address, "http://hub")));
    await held;
    return new Response(body, { headers: { "Content-Type": "application/json" } });
  });
  useDiffs.setState({ open: {}, chosen: {} });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function answer({ pathname, searchParams }: URL): unknown {
  const named = searchParams.getAll("path");
  const paths = Object.keys(disk).filter((path) => named.length === 0 || named.includes(path));
  const files = paths.map((path) => file(path, disk[path] ?? ""));
  const patch = paths.map((path) => patchOf(path, disk[path] ?? "")).join("");
  if (pathname.endsWith("/patches")) return { files, patch };
  return { against: "base", tree: JSON.stringify(disk), files, patch, more: 0 };
}

function file(path: string, blob: string, status: FileStatus = "modified"): FileDiff {
  const modes = { old_mode: "100644", new_mode: blob === "" ? null : "100644" };
  const rest = { added: 1, removed: 0, binary: false, omitted: false, old_path: null };
  return { path, status, ...modes, ...rest, old_blob: "old", new_blob: blob };
}

const patchOf = (path: string, text: string) =>
  `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -0,0 +1 @@\n+${text}\n`;

function patched(number: number, path: string, text: string, more: Partial<Patched> = {}): Patched {
  const shown = { file: file(path, text), patch: patchOf(path, text), cut: false };
  const frame = { type: "patched", session: SESSION, live: true, turn: 0, conversation: "main" };
  return { ...frame, base: "b", generated: false, number, ...shown, ...more } as Patched;
}

function told(path: string, oid: string, total_files: number, status?: FileStatus): DiffChanged {
  const mode = oid === "" ? "" : "100644";
  const event = { type: "diff_changed", seq: 1, at: "", session: SESSION } as const;
  return { ...event, path, oid, mode, total_files, status: status ?? "modified" };
}

const later = () => vi.advanceTimersByTimeAsync(3000);

async function opened(): Promise<void> {
  showDiff(SESSION);
  await later();
  asked = [];
}

function shown(): Record<string, string | undefined> {
  const files = useDiffs.getState().open[SESSION]?.files ?? [];
  return Object.fromEntries(
    files.map(({ file, patch }) => [file.path, patch.hunks[0]?.lines[0]?.text]),
  );
}

test("a write that is shown costs no request", async () => {
  await opened();
  for (let n = 1; n <= 20; n++) {
    noteDiffs([patched(n, "a.txt", `edit ${n}`), told("a.txt", `edit ${n}`, 2)]);
    await later();
  }
  noteDiffs([patched(21, "new.lock", "x", { generated: true }), told("new.lock", "x", 3)]);
  const gone = { file: file("b.txt", "", "unchanged"), patch: "" };
  noteDiffs([patched(22, "b.txt", "", gone), told("b.txt", "", 2, "unchanged")]);
  await later();
  expect(shown()).toEqual({ "a.txt": "edit 20", "new.lock": "x" });
  expect(useDiffs.getState().open[SESSION]?.files[1]?.file.generated).toBe(true);
  expect(asked).toEqual([]);
});

test("a write that overtakes what was told of the one before costs no request either", async () => {
  await opened();
  disk["a.txt"] = "three";
  noteDiffs([patched(1, "a.txt", "two"), told("a.txt", "two", 2)]);
  noteDiffs([patched(2, "a.txt", "three")]);
  await later();
  noteDiffs([told("a.txt", "three", 2), patched(3, "a.txt", "four")]);
  await later();
  noteDiffs([told("a.txt", "four", 2)]);
  await later();
  expect(shown()).toEqual({ "a.txt": "four", "b.txt": "one" });
  expect(asked).toEqual([]);
});

test("what was told of and not shown is asked for, once", async () => {
  await opened();
  disk["a.txt"] = "two";
  noteDiffs([told("a.txt", "two", 2)]);
  await later();
  expect(shown()).toEqual({ "a.txt": "two", "b.txt": "one" });
  expect(asked.filter((address) => address.includes("/patches"))).toHaveLength(1);
});

test("a gap in the numbers is made good by one list", async () => {
  await opened();
  noteDiffs([patched(1, "a.txt", "two")]);
  disk = { "a.txt": "two", "b.txt": "missed", "c.txt": "three" };
  noteDiffs([patched(3, "c.txt", "three")]);
  await later();
  expect(asked.filter((address) => address.includes("/diff"))).toHaveLength(1);
  expect(useDiffs.getState().open[SESSION]?.files[1]?.file.new_blob).toBe("missed");
});

test("files that nobody told of are found by their number", async () => {
  await opened();
  disk = { "a.txt": "two" };
  noteDiffs([patched(1, "a.txt", "two"), told("a.txt", "two", 1)]);
  await later();
  expect(shown()).toEqual({ "a.txt": "two" });
});

test("an answer that is older than what was shown meanwhile does not undo it", async () => {
  await opened();
  let release = () => {};
  held = new Promise((done) => {
    release = done;
  });
  noteDiffs([{ type: "session_rewound", session: SESSION, seq: 1, at: "" } as never]);
  await later();
  noteDiffs([patched(1, "a.txt", "newer"), told("a.txt", "newer", 2)]);
  release();
  await later();
  expect(shown()).toEqual({ "a.txt": "newer", "b.txt": "one" });
});

test("a patch that was cut is asked for when it is in sight", async () => {
  await opened();
  noteDiffs([patched(1, "a.txt", "large", { cut: true, patch: "" })]);
  expect(useDiffs.getState().open[SESSION]?.files[0]).toMatchObject({ loaded: false });
});

test("only the comparison with the base is shown by keepers", async () => {
  await opened();
  setLook(SESSION, { against: "head", ignoreSpace: false });
  await later();
  asked = [];
  disk["a.txt"] = "two";
  noteDiffs([patched(1, "a.txt", "against the base"), told("a.txt", "two", 2)]);
  await later();
  expect(shown()["a.txt"]).toBe("two");
  expect(asked.length).toBeGreaterThan(0);
});

test("a verdict is given on the very files that are shown", async () => {
  await opened();
  noteDiffs([patched(1, "a.txt", "two"), told("a.txt", "two", 2)]);
  disk["a.txt"] = "two";
  expect(await treeSeen(SESSION)).toBe(JSON.stringify(disk));
  noteDiffs([patched(2, "a.txt", "three"), told("a.txt", "three", 2)]);
  disk["a.txt"] = "four";
  await expect(treeSeen(SESSION)).rejects.toThrow("changed while you looked");
});
