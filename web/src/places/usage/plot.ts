/** Bars over days, drawn by uPlot in the page's own colours. */

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { ticksOf } from "./scale";

export interface Bars {
  /** Of every part, the value of each day; the first part stands at the bottom. */
  readonly parts: readonly { readonly colour: string; readonly values: readonly number[] }[];
  /** What stands below the days, as many as there is room for. */
  readonly names: readonly string[];
  readonly top: number;
  readonly words: (value: number) => string;
}

const HEIGHT = 200;
const LEFT = 64;
const BELOW = 22;
const NAME = 96;
const BAR = uPlot.paths.bars?.({ size: [0.72, 36, 2] });

/** Draws into `box` and follows its width and the look; `onPoint` hears which day is pointed at. */
export function drawBars(
  box: HTMLElement,
  { parts, names, top, words }: Bars,
  onPoint: (day: number | null) => void,
): () => void {
  const token = (name: string) => () => getComputedStyle(box).getPropertyValue(name);
  const font = `11px ${token("--sans")()}`;
  const axis = { stroke: token("--mute"), font, ticks: { show: false } };
  const heaped = heap(parts.map(({ values }) => values));
  const plot = new uPlot(
    {
      width: box.clientWidth,
      height: HEIGHT,
      padding: [8, 16, 0, 0],
      legend: { show: false },
      cursor: { y: false, drag: { x: false }, points: { show: false } },
      scales: {
        x: { time: false, range: [-0.5, names.length - 0.5] },
        y: { range: [0, top] },
      },
      axes: [
        {
          ...axis,
          size: BELOW,
          grid: { show: false },
          splits: ({ width }) => labelled(names.length, (width - LEFT) / NAME),
          values: (_, days) => days.map((day) => names[day] ?? ""),
        },
        {
          ...axis,
          size: LEFT,
          grid: { stroke: token("--line"), width: 1 },
          splits: () => ticksOf(top),
          values: (_, ticks) => ticks.map(words),
        },
      ],
      series: [
        {},
        ...parts
          .map(({ colour }) => ({
            fill: token(colour),
            width: 0,
            points: { show: false },
            ...(BAR && { paths: BAR }),
          }))
          .reverse(),
      ],
      hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)] },
    },
    [names.map((_, day) => day), ...heaped.reverse()],
    box,
  );
  const width = new ResizeObserver(() => plot.setSize({ width: box.clientWidth, height: HEIGHT }));
  width.observe(box);
  const look = new MutationObserver(() => plot.redraw());
  look.observe(document.documentElement, { attributeFilter: ["data-theme", "data-contrast"] });
  return () => {
    width.disconnect();
    look.disconnect();
    plot.destroy();
  };
}

/** About as many days as fit; the last always is one. */
function labelled(many: number, fit: number): number[] {
  const every = Math.max(1, Math.ceil(many / Math.max(1, fit)));
  return Array.from({ length: Math.ceil(many / every) }, (_, n) => many - 1 - n * every).reverse();
}

/** Each part standing on those before it. */
function heap(parts: readonly (readonly number[])[]): number[][] {
  return parts.map((values, part) =>
    values.map((_, day) => parts.slice(0, part + 1).reduce((sum, own) => sum + (own[day] ?? 0), 0)),
  );
}
