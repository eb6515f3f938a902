import { useEffect, useState } from "react";
import type { Attachment } from "../../api/answers";
import { attempt } from "../../state/page/notices";
import { uncover } from "../../state/page/screen";
import { loadImage } from "../../state/session/pictures";

/** The picture as it can be drawn; one that cannot be read is told, and nothing opened. */
export function useImage(picture: Attachment): HTMLImageElement | null {
  const [image, setImage] = useState<HTMLImageElement | null>(null);
  useEffect(() => {
    void attempt(async () => setImage(await loadImage(picture))).then((read) => read || uncover());
  }, [picture]);
  return image;
}
