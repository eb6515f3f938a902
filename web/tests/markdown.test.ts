// @vitest-environment jsdom
import { expect, test } from "vitest";
import { blocksOf, htmlOf } from "../src/parts/markdown/render";

const ATTACKS = [
  "<img src=x onerror=alert(1)>",
  "<script>alert(1)</script>",
  "<style>body{display:none}</style>",
  "<iframe src=//evil></iframe>",
  "[x](javascript:alert(1))",
  "[x](data:text/html,<script>alert(1)</script>)",
  "[x](vbscript:x)",
  "![x](https://evil.example/pixel.png)",
  '![x" onerror="alert(1)](y)',
  '[x](https://a.example "t" onmouseover="alert(1)")',
  '<a href="https://a.example" style="position:fixed;inset:0">x</a>',
  "<svg onload=alert(1)>",
  "<form action=//evil><input name=q></form>",
];

function elements(html: string): Element[] {
  const page = document.createElement("div");
  page.innerHTML = html;
  return [...page.querySelectorAll("*")];
}

test.each(ATTACKS)("%s stays inert", (attack) => {
  for (const element of elements(htmlOf(attack))) {
    expect(["P", "A", "SPAN", "DIV"]).toContain(element.tagName);
    for (const { name, value } of element.attributes) {
      expect(["href", "title", "rel", "target", "class"]).toContain(name);
      if (name === "href") expect(value).toMatch(/^https:/);
    }
  }
});

test("a link says where it leads and tells the other side nothing", () => {
  const [, link] = elements(htmlOf("[docs](https://example.com/a)"));
  expect(link?.getAttribute("rel")).toBe("noopener noreferrer nofollow");
  expect(link?.getAttribute("title")).toBe("https://example.com/a");
});

test("a growing text keeps its finished blocks", () => {
  const before = blocksOf("One\n\n```py\nx = 1");
  const after = blocksOf("One\n\n```py\nx = 1\n```\n\nTwo");
  expect(after[0]).toEqual(before[0]);
  expect(after.map((block) => block.kind)).toEqual(["html", "code", "html"]);
});
