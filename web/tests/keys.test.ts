// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { chordOf, keyText } from "../src/state/page/chord";
import { listen, resetKeys, setKey, setPlainKeys } from "../src/state/page/keys";
import { setCover, uncover } from "../src/state/page/screen";

const ran = vi.fn();
let release: () => void = () => undefined;

function bind(scope: string, key: string, name = key, repeats = false): () => void {
  return listen([{ scope, key, binding: () => ({ label: name, run: () => ran(name), repeats }) }]);
}

function type(key: string, at: EventTarget = document.body, more: KeyboardEventInit = {}): void {
  at.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more }));
}

beforeEach(() => {
  ran.mockClear();
  resetKeys();
  document.body.innerHTML = "";
});
afterEach(() => {
  release();
  uncover();
});

test("a key, a sequence and a chord act", () => {
  const all = [bind("page", "n"), bind("page", "g i"), bind("page", "$mod+k"), bind("page", "?")];
  release = () => all.forEach((one) => void one());
  type("n");
  type("g");
  type("i");
  type("k", document.body, { ctrlKey: true });
  type("?", document.body, { shiftKey: true });
  type("i");
  expect(ran.mock.calls.flat()).toEqual(["n", "g i", "$mod+k", "?"]);
});

test("with Alt a key acts by its place, whatever a Mac types there", () => {
  release = bind("page", "Alt+1");
  type("¡", document.body, { altKey: true, code: "Digit1" });
  type("¡", document.body, { code: "Digit1" });
  expect(ran.mock.calls.flat()).toEqual(["Alt+1"]);
});

test("whoever bound a key last has it, and gives it back", () => {
  const page = bind("page", "j", "session");
  const place = bind("inbox", "j", "card");
  type("j");
  place();
  type("j");
  page();
  type("j");
  expect(ran.mock.calls.flat()).toEqual(["card", "session"]);
});

test.each([
  "input",
  "textarea",
  "select",
])("a plain key never acts in a %s, a chord does", (tag) => {
  const all = [bind("page", "n"), bind("page", "$mod+k")];
  release = () => all.forEach((one) => void one());
  const field = document.body.appendChild(document.createElement(tag));
  type("n", field);
  type("k", field, { ctrlKey: true });
  expect(ran.mock.calls.flat()).toEqual(["$mod+k"]);
});

test("in a terminal only what no program wants acts", () => {
  const all = [bind("page", "n"), bind("page", "$mod+k"), bind("page", "$mod+Shift+u")];
  release = () => all.forEach((one) => void one());
  document.body.innerHTML = "<div data-terminal><span></span></div>";
  const inside = document.querySelector("span") as HTMLElement;
  type("n", inside);
  type("k", inside, { ctrlKey: true });
  type("U", inside, { ctrlKey: true, shiftKey: true });
  expect(ran.mock.calls.flat()).toEqual(["$mod+Shift+u"]);
});

test("nothing acts while an IME composes, or under a dialog that is not its own", () => {
  const all = [bind("page", "n"), bind("dialog", "d")];
  release = () => all.forEach((one) => void one());
  type("n", document.body, { isComposing: true });
  type("n", document.body, { keyCode: 229 } as KeyboardEventInit);
  setCover({ name: "help" });
  type("n");
  type("d");
  expect(ran.mock.calls.flat()).toEqual(["d"]);
});

test("a key held down acts once, except where repeating is meant", () => {
  const all = [bind("page", "n"), bind("page", "j", "j", true)];
  release = () => all.forEach((one) => void one());
  for (const key of ["n", "j"]) {
    type(key);
    type(key, document.body, { repeat: true });
  }
  expect(ran.mock.calls.flat()).toEqual(["n", "j", "j"]);
});

test("plain keys can be turned off, and any key can be another one or none", () => {
  const all = [bind("page", "n"), bind("page", "e"), bind("page", "$mod+k")];
  release = () => all.forEach((one) => void one());
  setKey("page:n", "$mod+Shift+n");
  setKey("page:e", "");
  type("n");
  type("e");
  type("N", document.body, { ctrlKey: true, shiftKey: true });
  setPlainKeys(false);
  setKey("page:e", null);
  type("e");
  type("k", document.body, { ctrlKey: true });
  expect(ran.mock.calls.flat()).toEqual(["n", "$mod+k"]);
  expect(JSON.parse(localStorage.getItem("manyhands.keys") ?? "")).toEqual({
    plain: false,
    own: { "page:n": "$mod+Shift+n" },
  });
});

test("chords have one spelling, also on a Mac that types other characters with Alt", () => {
  const none = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };
  expect(chordOf({ ...none, key: "¡", code: "Digit1", altKey: true }, true)).toBe("Alt+1");
  expect(chordOf({ ...none, key: "k", code: "KeyK", metaKey: true }, true)).toBe("$mod+k");
  expect(chordOf({ ...none, key: "?", code: "Slash", shiftKey: true })).toBe("?");
  expect(chordOf({ ...none, key: "Enter", code: "Enter", shiftKey: true })).toBe("Shift+Enter");
  expect(keyText("g i")).toBe("g i");
  expect(keyText("$mod+Shift+u")).toBe("Ctrl Shift U");
});
