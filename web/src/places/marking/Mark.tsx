import { type FormEvent, useState } from "react";
import type { Attachment } from "../../api/answers";
import { Button } from "../../parts/Button";
import { Dialog } from "../../parts/overlay/Dialog";
import { Segments } from "../../parts/Segments";
import { DIALOG, useKeys } from "../../state/page/keys";
import { attempt, notify } from "../../state/page/notices";
import { uncover } from "../../state/page/screen";
import { handOver } from "../../state/session/attachments";
import { addToDraft } from "../../state/session/drafts";
import { type Mark as Drawn, paint, type Tool } from "../../state/session/marks";
import { pictured, sizeOf } from "../../state/session/pictures";
import { inkOf } from "./ink";
import "./marking.css";
import { Stage } from "./Stage";
import { useDrawing } from "./useDrawing";
import { useImage } from "./useImage";

interface Props {
  /** The session's. */
  readonly id: string;
  readonly picture: Attachment;
}

const TOOLS: readonly { id: Tool; label: string; title: string }[] = [
  { id: "pen", label: "Pen", title: "Draw freely (d)" },
  { id: "box", label: "Box", title: "Draw a box (b)" },
  { id: "arrow", label: "Arrow", title: "Draw an arrow (a)" },
];

/** A picture, large, upon which a person draws what is meant; it goes with the next message. */
export function Mark({ id, picture }: Props) {
  const image = useImage(picture);
  const [tool, setTool] = useState<Tool>("pen");
  const [word, setWord] = useState("");
  const drawing = useDrawing(tool);
  useKeys(DIALOG, {
    d: { label: "Draw with the pen", run: () => setTool("pen") },
    b: { label: "Draw a box", run: () => setTool("box") },
    a: { label: "Draw an arrow", run: () => setTool("arrow") },
    u: { label: "Take the last mark back", run: drawing.undo },
    "$mod+z": { label: "Take the last mark back", run: drawing.undo },
  });
  const attach = (event: FormEvent) => {
    event.preventDefault();
    void attempt(async () => {
      if (image === null) return;
      await handOver(id, marked(image, drawing.marks, picture), picture);
      addToDraft(id, word.trim());
      uncover();
      notify("The picture goes with your next message.");
    });
  };
  return (
    <Dialog title="Draw upon the picture" className="marking">
      <div className="body">
        {image !== null && (
          <Stage
            image={image}
            label="The picture. Arrow keys move a cross, Enter begins and ends a mark"
            paint={(on) => paint(on, drawing.marks, inkOf())}
            onDown={drawing.begin}
            onMove={drawing.move}
            onUp={drawing.end}
            onPress={(at) => (drawing.drawing ? drawing.end() : drawing.begin(at))}
          />
        )}
      </div>
      <form className="actions" onSubmit={attach}>
        <Segments label="Tool" options={TOOLS} chosen={tool} onChoose={setTool} />
        <Button
          look="quiet"
          title="Take the last mark back (u)"
          disabled={drawing.marks.length === 0}
          onClick={drawing.undo}
        >
          Undo
        </Button>
        <input
          className="field"
          aria-label="A word about it"
          placeholder="A word about it"
          value={word}
          onChange={(event) => setWord(event.target.value)}
        />
        <Button look="primary" type="submit" disabled={image === null}>
          Attach to the message
        </Button>
      </form>
    </Dialog>
  );
}

function marked(image: HTMLImageElement, marks: readonly Drawn[], of: Attachment): Attachment {
  const canvas = document.createElement("canvas");
  const { width, height } = sizeOf(image);
  Object.assign(canvas, { width, height });
  const on = canvas.getContext("2d");
  if (on === null) throw new Error("this browser draws no pictures");
  on.drawImage(image, 0, 0, width, height);
  paint(on, marks, inkOf());
  return pictured(canvas, `marked-${of.name.replace(/^marked-/, "")}`, of.media_type);
}
