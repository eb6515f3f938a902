/** The way out of a terminal by keyboard: to its own tab, from where Tab goes on as everywhere. */

export function leave(): void {
  const all = document.activeElement?.closest(".terminals");
  all?.querySelector<HTMLElement>(".term-tab[data-front=true] button")?.focus();
}
