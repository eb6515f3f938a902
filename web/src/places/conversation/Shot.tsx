import { useEffect, useState } from "react";
import { fetchPicture } from "../../api/preview";
import type { FileView, SessionView } from "../../api/types.gen";
import { Button } from "../../parts/Button";
import { attempt, notify } from "../../state/page/notices";
import { setCover } from "../../state/page/screen";
import { handOver } from "../../state/session/attachments";
import type { PictureItem } from "../../state/session/conversation";
import { visibleBidi } from "../../state/session/plain";
import "./shot.css";

interface Props {
  readonly item: PictureItem;
  readonly session: SessionView;
}

/** A picture of the session's preview, which can go along with the next message. */
export function Shot({ item, session }: Props) {
  const [file, setFile] = useState<FileView | null>(null);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    fetchPicture(session.id, item.picture).then(setFile, (error: Error) =>
      setProblem(error.message),
    );
  }, [session.id, item.picture]);
  const picture = file && {
    name: item.picture,
    media_type: file.media_type ?? "image/png",
    data: file.data ?? "",
  };
  const attach = () =>
    attempt(async () => {
      if (picture === null) return;
      await handOver(session.id, picture);
      notify("The picture goes with your next message.");
    });
  const about = `${item.service} ${visibleBidi(item.path)}`;
  return (
    <figure className="shot" data-testid="shot">
      {file !== null && (
        <img src={`data:${file.media_type};base64,${file.data}`} alt={`Preview of ${about}`} />
      )}
      <figcaption>
        {about}, {item.width} × {item.height}, answered {item.status || "nothing"}
        {problem && <span className="tone-bad"> {problem}</span>}
      </figcaption>
      <div className="shot-does">
        <Button look="quiet" size="small" disabled={file === null} onClick={() => void attach()}>
          Attach to a message
        </Button>
        <Button
          look="quiet"
          size="small"
          disabled={picture === null}
          onClick={() => picture && setCover({ name: "mark", id: session.id, picture })}
        >
          Draw upon it
        </Button>
        <Button
          look="quiet"
          size="small"
          disabled={picture === null}
          onClick={() => setCover({ name: "point", id: session.id, shot: item })}
        >
          Point at an element
        </Button>
      </div>
      {item.problems.length > 0 && (
        <details>
          <summary>The page's console and what it could not load: {item.problems.length}</summary>
          <ul>
            {item.problems.map((text) => (
              <li key={text}>{visibleBidi(text)}</li>
            ))}
          </ul>
        </details>
      )}
    </figure>
  );
}
