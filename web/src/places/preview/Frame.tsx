export const SIZES = {
  fit: { label: "Fit", width: 1280, height: 800 },
  phone: { label: "Phone", width: 390, height: 844 },
  tablet: { label: "Tablet", width: 820, height: 1180 },
  wide: { label: "Wide", width: 1280, height: 800 },
} as const;
export type Size = keyof typeof SIZES;

interface Props {
  readonly title: string;
  readonly url: string;
  readonly size: Size;
}

/** The app in a frame of its own origin; it cannot lead the page around it away. */
export function Frame({ title, url, size }: Props) {
  const { width, height } = SIZES[size];
  const given = size === "fit" ? {} : { width, height };
  return (
    <div className="preview-frame" data-size={size}>
      <iframe
        title={`Preview of ${title}`}
        src={url}
        sandbox="allow-scripts allow-same-origin allow-forms allow-popups allow-modals allow-downloads"
        {...given}
      />
    </div>
  );
}
