import { Suspense } from "react";
import { create } from "zustand";
import type { SessionView } from "../../../api/types.gen";
import { PANES, paneOf } from "../../panes";
import { Tabs } from "./Tabs";

/** The pane in front where only one fits. */
export const useFront = create<{ front: string }>(() => ({ front: PANES[0]?.id ?? "" }));

interface Props {
  readonly session: SessionView;
  readonly onShow: (id: string) => void;
}

export function OnePane({ session, onShow }: Props) {
  const front = useFront((state) => state.front);
  const choose = (id: string) => {
    useFront.setState({ front: id });
    onShow(id);
  };
  return (
    <div className="panes one" data-testid="panes">
      <Tabs session={session} panes={PANES} active={front} onChoose={choose} />
      <div className="pane" data-pane={front} data-testid={`pane-${front}`}>
        <Suspense fallback={<div aria-busy="true" />}>{paneOf(front)?.render(session)}</Suspense>
      </div>
    </div>
  );
}
