/**
 * xterm.js writes style sheets and inline styles as text, which the page's policy refuses. What it
 * means to write is done here by the ways that scripts may go: sheets of the document, and an
 * element's own style, property by property.
 */

let isDone = false;

export function keepPolicy(): void {
  if (isDone) return;
  isDone = true;
  const make = document.createElement.bind(document);
  document.createElement = ((name: string, options?: ElementCreationOptions) =>
    name === "style" ? standIn(make("span")) : make(name, options)) as Document["createElement"];
  const set = HTMLElement.prototype.setAttribute;
  HTMLElement.prototype.setAttribute = function setAttribute(name: string, value: string) {
    if (name === "style") this.style.cssText = value;
    else set.call(this, name, value);
  };
}

/** Takes a sheet's text, and takes the sheet along when it leaves. */
function standIn(element: HTMLElement): HTMLElement {
  const sheet = new CSSStyleSheet();
  element.hidden = true;
  document.adoptedStyleSheets.push(sheet);
  Object.defineProperty(element, "textContent", {
    set: (text: string) => sheet.replaceSync(text),
  });
  element.remove = () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
    Element.prototype.remove.call(element);
  };
  return element;
}
