/** Pictures as a canvas takes and gives them. */

import type { Attachment } from "../../api/answers";
import { MOST_BYTES } from "./attachments";

/** What is larger is drawn smaller: a canvas costs four bytes for each point. */
export const LONGEST_SIDE = 4096;

export async function loadImage({ media_type, data }: Attachment): Promise<HTMLImageElement> {
  const image = new Image();
  image.src = `data:${media_type};base64,${data}`;
  await image.decode();
  return image;
}

/** The size in which it is drawn. */
export function sizeOf(image: HTMLImageElement): { width: number; height: number } {
  const scale = Math.min(1, LONGEST_SIDE / Math.max(image.naturalWidth, image.naturalHeight));
  const scaled = (side: number) => Math.max(1, Math.round(side * scale));
  return { width: scaled(image.naturalWidth), height: scaled(image.naturalHeight) };
}

/** A photo stays one, and what is too large to be sent becomes one: as a PNG it is many times as large. */
export function pictured(canvas: HTMLCanvasElement, name: string, type: string): Attachment {
  const whole = type === "image/jpeg" ? null : dataOf(canvas, "image/png");
  const isPng = whole !== null && (whole.length * 3) / 4 <= MOST_BYTES;
  const media_type = isPng ? "image/png" : "image/jpeg";
  const stem = name.replace(/\.\w+$/, "");
  const data = isPng ? whole : dataOf(canvas, media_type);
  return { name: `${stem}.${isPng ? "png" : "jpg"}`, media_type, data };
}

function dataOf(canvas: HTMLCanvasElement, type: string): string {
  const url = canvas.toDataURL(type, 0.9);
  return url.slice(url.indexOf(",") + 1);
}
