import { expect, test } from "vitest";
import { lineDiff } from "../src/state/diff/linediff";

const shown = (before: string, after: string) =>
  lineDiff(before, after).map(
    ({ kind, text }) => `${{ added: "+", removed: "-", same: " " }[kind]}${text}`,
  );

test("lines that stayed stand between those that went and came", () => {
  expect(shown("a\nb\nc\nd\n", "a\nx\nc\ny\nd\n")).toEqual([" a", "-b", "+x", " c", "+y", " d"]);
});

test("a new text is all added, an emptied one all removed", () => {
  expect(shown("", "a\nb\n")).toEqual(["+a", "+b"]);
  expect(shown("a\nb", "")).toEqual(["-a", "-b"]);
  expect(shown("", "")).toEqual([]);
});

test("every line of both texts is there, in order, whatever they are", () => {
  let seed = 7;
  const random = () => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return seed / 2147483648;
  };
  for (let round = 0; round < 300; round++) {
    const make = () =>
      Array.from({ length: Math.floor(random() * 9) }, () => "abc"[Math.floor(random() * 3)] ?? "");
    const [old, fresh] = [make(), make()];
    const lines = lineDiff(old.join("\n"), fresh.join("\n"));
    const side = (left: "added" | "removed") =>
      lines.filter(({ kind }) => kind !== left).map(({ text }) => text);
    expect(side("added")).toEqual(old);
    expect(side("removed")).toEqual(fresh);
    for (const [place, { kind, before, after }] of lines.entries()) {
      const first = lines.slice(0, place + 1);
      if (kind !== "added") expect(before).toBe(first.filter((l) => l.kind !== "added").length);
      if (kind !== "removed") expect(after).toBe(first.filter((l) => l.kind !== "removed").length);
    }
  }
});

test("texts with nothing in common are told in bounded time", () => {
  const text = (word: string) => Array.from({ length: 3000 }, (_, n) => `${word}${n}`).join("\n");
  expect(lineDiff(text("a"), text("b"))).toHaveLength(6000);
});
