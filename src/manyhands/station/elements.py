"""What is to be seen on a page, and where: each element's selector, words and box.

The page is asked in a world of ours, whose built-ins its own scripts cannot change. What it
answers is still its own word: it is bounded, and never more than text.
"""

from __future__ import annotations

import msgspec

from manyhands.station.browser import BrowserFailed, Tab

WORLD = "manyhands"
PATIENCE_MS = 5000
MOST = 2000
LONGEST = 300
"""Characters of a selector, and of an element's words."""
MARGIN = 16
"""Pixels around an element, which show where it stands."""


class Element(msgspec.Struct, frozen=True):
    """Its box is what is seen of it, in pixels of the picture."""

    selector: str
    text: str
    x: int
    y: int
    width: int
    height: int

    def holds(self, x: int, y: int) -> bool:
        return self.x <= x < self.x + self.width and self.y <= y < self.y + self.height


# An element is told when one of five points of it is not covered. A name that stands for it alone
# is best, since it outlives changes around it; the way from the next such one is good for today.
SCRIPT = """(() => {
  const MOST = %(most)d, LONGEST = %(longest)d, WALKED = 20000;
  const NAMES = ["data-testid", "data-test", "data-cy", "name"];
  const ODD = /["\\\\\\n]/;
  const MADE = /^[:_«]|^radix-|[0-9]{4}/;
  const read = (el, name) => Element.prototype.getAttribute.call(el, name) || "";
  const alone = (selector) => document.querySelectorAll(selector).length === 1;
  const known = new Map();
  const named = (el) => {
    const tag = CSS.escape(el.localName);
    const id = read(el, "id");
    if (id && !MADE.test(id) && alone("#" + CSS.escape(id))) return "#" + CSS.escape(id);
    for (const name of NAMES) {
      const value = read(el, name);
      const selector = tag + "[" + name + "=" + JSON.stringify(value) + "]";
      if (value && value.length < 80 && !ODD.test(value) && alone(selector)) return selector;
    }
    for (const one of read(el, "class").split(/\\s+/).filter(Boolean).slice(0, 4)) {
      const selector = tag + "." + CSS.escape(one);
      if (!MADE.test(one) && alone(selector)) return selector;
    }
    return alone(tag) ? tag : "";
  };
  const selectorOf = (el) => {
    if (known.has(el)) return known.get(el);
    let selector = named(el);
    if (!selector) {
      const tag = CSS.escape(el.localName);
      const up = el.parentElement;
      const like = [...up.children].filter((one) => one.localName === el.localName);
      const nth = like.length > 1 ? ":nth-of-type(" + (like.indexOf(el) + 1) + ")" : "";
      selector = selectorOf(up) + " > " + tag + nth;
    }
    known.set(el, selector);
    return selector;
  };
  const textOf = (el) => {
    const others = ["aria-label", "alt", "placeholder"].map((name) => read(el, name));
    const words = String([el.innerText, ...others].find(Boolean) || "");
    const short = words.slice(0, 4 * LONGEST).replace(/\\s+/g, " ").trim();
    return short.slice(0, LONGEST).trim();
  };
  const isSeen = (el, x, y, width, height) =>
    [[0.5, 0.5], [0.1, 0.1], [0.9, 0.1], [0.1, 0.9], [0.9, 0.9]].some(([right, down]) => {
      const hit = document.elementFromPoint(x + width * right, y + height * down);
      return hit !== null && (hit === el || el.contains(hit));
    });
  const found = [];
  let walked = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT);
  for (let el = walker.currentNode; el && found.length < MOST && walked < WALKED; walked++) {
    try {
      const box = el.getBoundingClientRect();
      const x = Math.max(0, Math.floor(box.left)), y = Math.max(0, Math.floor(box.top));
      const width = Math.min(innerWidth, Math.ceil(box.right)) - x;
      const height = Math.min(innerHeight, Math.ceil(box.bottom)) - y;
      // What a drawing is made of is nothing that a person would name.
      const part = el.parentElement !== null && el.parentElement.closest("svg") !== null;
      if (width > 0 && height > 0 && !part && isSeen(el, x, y, width, height)) {
        const selector = selectorOf(el).slice(0, LONGEST);
        found.push({ selector, text: textOf(el), x, y, width, height });
      }
    } catch {}
    el = walker.nextNode();
  }
  return found;
})()""" % {"most": MOST, "longest": LONGEST}  # noqa: UP031 - braces are the script's


async def load_elements(tab: Tab, frame: str) -> tuple[Element, ...]:
    """In the page's order; none of a page that does not let itself be asked."""
    try:
        world = await tab.ask("Page.createIsolatedWorld", frameId=frame, worldName=WORLD)
        asked = {"expression": SCRIPT, "returnByValue": True, "timeout": PATIENCE_MS}
        answer = await tab.ask("Runtime.evaluate", contextId=world["executionContextId"], **asked)
        found = msgspec.convert(answer["result"].get("value", ()), tuple[Element, ...])
    except (BrowserFailed, msgspec.ValidationError):
        return ()
    return found[:MOST]


def element_at(elements: tuple[Element, ...], x: int, y: int) -> Element | None:
    """The smallest one there; of equals, the innermost."""
    there = [one for one in elements if one.holds(x, y)]
    return min(reversed(there), key=lambda one: one.width * one.height, default=None)
