import "./icon.css";

const PATHS = {
  chevron: "M6 4l4 4-4 4",
  check: "M3.5 8.5l3 3 6-7",
  edit: "M3 13l.6-2.8L11 2.8l2.2 2.2-7.4 7.4z",
  copy: "M6 5.5h7v8H6zM10 5.5v-3H3v8h3",
  comment: "M2.5 3.5h11v7.5h-6l-3 2.5v-2.5h-2z",
  revert: "M5.5 3L2.5 6l3 3M2.5 6H10a3.5 3.5 0 010 7H7",
  up: "M8 12V4M4.5 7.5L8 4l3.5 3.5",
  down: "M8 4v8M4.5 8.5L8 12l3.5-3.5",
  all: "M8 2v12M5 5l3-3 3 3M5 11l3 3 3-3",
  tree: "M2.5 3.5h4M4.5 3.5v9h3M4.5 8h3M9.5 8h4M9.5 12.5h4",
  split: "M2.5 3h11v10h-11zM8 3v10",
  unified: "M2.5 3h11v10h-11zM4.5 6.5h7M4.5 9.5h7",
  wrap: "M2.5 4h11M2.5 8h8.5a2 2 0 010 4H8.5M10 10l-2 2 2 2",
  space: "M2.5 9v3h11V9",
  send: "M2.5 8l11-5-4 11-2.5-4.5z",
  add: "M8 3v10M3 8h10",
  close: "M4 4l8 8M12 4l-8 8",
  find: "M7 2.5a4.5 4.5 0 100 9 4.5 4.5 0 000-9zM10.5 10.5l3 3",
  more: "M3 8a.5.5 0 101 0 .5.5 0 00-1 0zM7.5 8a.5.5 0 101 0 .5.5 0 00-1 0zM12 8a.5.5 0 101 0 .5.5 0 00-1 0z",
} as const;

export type IconName = keyof typeof PATHS;

/** Small drawings of one line weight; they never stand alone for a meaning. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
