import { type FormEvent, useEffect, useState } from "react";
import { fetchElements, fetchPicture } from "../../api/preview";
import type { ElementView } from "../../api/types.gen";
import { Button } from "../../parts/Button";
import { Dialog } from "../../parts/overlay/Dialog";
import { DIALOG, useKeys } from "../../state/page/keys";
import { attempt, notify } from "../../state/page/notices";
import { type ShotOf, uncover } from "../../state/page/screen";
import { handOver } from "../../state/session/attachments";
import { addToDraft } from "../../state/session/drafts";
import { around, elementsAt, nameOf, outlineOf, told } from "../../state/session/elements";
import { type Point as At, paint } from "../../state/session/marks";
import { loadImage, pictured, sizeOf } from "../../state/session/pictures";
import { inkOf } from "./ink";
import { Stage } from "./Stage";
import "./marking.css";

interface Props {
  /** The session's. */
  readonly id: string;
  readonly shot: ShotOf;
}

interface Seen {
  readonly image: HTMLImageElement;
  readonly elements: readonly ElementView[];
}

/** A picture of a preview, on which a person points at what is meant. */
export function Point({ id, shot }: Props) {
  const seen = useSeen(id, shot.picture);
  const [over, setOver] = useState<At | null>(null);
  const [chosen, setChosen] = useState<readonly ElementView[]>([]);
  const [word, setWord] = useState("");
  const element = chosen[0];
  const wider = () => chosen.length > 1 && setChosen(chosen.slice(1));
  useKeys(DIALOG, { w: { label: "The element around it", run: wider } });
  if (seen === null) return <Dialog title="Point at an element">{null}</Dialog>;
  const { image, elements } = seen;
  const choose = (at: At) => setChosen(elementsAt(elements, at));
  const hovered = over === null ? undefined : elementsAt(elements, over)[0];
  const outlined = element ?? hovered;
  const attach = (event: FormEvent) => {
    event.preventDefault();
    void attempt(async () => {
      if (element === undefined) return;
      await handOver(id, cut(image, element, shot.picture));
      addToDraft(id, `${word.trim()}\n${told(element, shot, sizeOf(image))}`.trim());
      uncover();
      notify("The element goes with your next message.");
    });
  };
  return (
    <Dialog title="Point at an element" className="marking">
      <div className="body">
        <Stage
          image={image}
          label="The picture. Arrow keys move a cross, Enter chooses what is under it"
          paint={(on) => outlined && paint(on, [outlineOf(outlined)], inkOf())}
          onDown={choose}
          onMove={setOver}
          onUp={() => undefined}
          onPress={choose}
        />
      </div>
      <p className="pointed" role="status">
        {outlined === undefined ? <PointHint some={elements.length > 0} /> : nameOf(outlined)}
      </p>
      <form className="actions" onSubmit={attach}>
        <Button
          look="quiet"
          title="The element around it (w)"
          disabled={chosen.length < 2}
          onClick={wider}
        >
          Wider
        </Button>
        <input
          className="field"
          aria-label="A word about it"
          placeholder="A word about it"
          value={word}
          onChange={(event) => setWord(event.target.value)}
        />
        <Button look="primary" type="submit" disabled={element === undefined}>
          Attach to the message
        </Button>
      </form>
    </Dialog>
  );
}

function PointHint({ some }: { readonly some: boolean }) {
  return some
    ? "Click what you mean."
    : "What is on this picture was not told; take another, or draw upon it.";
}

function useSeen(id: string, picture: string): Seen | null {
  const [seen, setSeen] = useState<Seen | null>(null);
  useEffect(() => {
    const load = async () => {
      const [file, { elements = [] }] = await Promise.all([
        fetchPicture(id, picture),
        fetchElements(id, picture),
      ]);
      const { media_type = "image/png", data = "" } = file;
      setSeen({ image: await loadImage({ name: picture, media_type, data }), elements });
    };
    void attempt(load).then((read) => read || uncover());
  }, [id, picture]);
  return seen;
}

/** The element outlined, and what is around it. */
function cut(image: HTMLImageElement, element: ElementView, picture: string) {
  const canvas = document.createElement("canvas");
  const { x, y, width, height } = around(element, sizeOf(image));
  Object.assign(canvas, { width, height });
  const on = canvas.getContext("2d");
  if (on === null) throw new Error("this browser draws no pictures");
  on.drawImage(image, x, y, width, height, 0, 0, width, height);
  const within = { ...element, x: element.x - x, y: element.y - y };
  paint(on, [outlineOf(within)], inkOf());
  return pictured(canvas, `element-${picture}`, "image/png");
}
