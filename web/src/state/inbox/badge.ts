/** The number of open items in the tab's title and icon. */

const SIZE = 32;

export function showBadge(count: number): void {
  document.title = count > 0 ? `(${count}) manyhands` : "manyhands";
  const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]");
  if (icon === null) return;
  if (count === 0) {
    icon.type = "image/svg+xml";
    icon.href = "/favicon.svg";
    return;
  }
  const drawn = drawBadge(count);
  if (drawn === null) return;
  icon.type = "image/png";
  icon.href = drawn;
}

function drawBadge(count: number): string | null {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = SIZE;
  const pen = canvas.getContext("2d");
  if (pen === null) return null;
  pen.fillStyle = "#b06d00";
  pen.beginPath();
  pen.arc(SIZE / 2, SIZE / 2, SIZE / 2, 0, 2 * Math.PI);
  pen.fill();
  pen.fillStyle = "#ffffff";
  pen.font = "bold 20px sans-serif";
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.fillText(count > 9 ? "9+" : `${count}`, SIZE / 2, SIZE / 2 + 1);
  return canvas.toDataURL("image/png");
}
