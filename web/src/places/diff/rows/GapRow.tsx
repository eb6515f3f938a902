import { plural } from "../../../parts/format";
import { Icon } from "../../../parts/Icon";
import type { FileDiff } from "../../../state/diff/diffFiles";
import { useActions } from "../actions";
import { type Gap, STEP } from "./context";
import { Plain } from "./Plain";

interface Props {
  readonly diff: FileDiff;
  readonly gap: Gap;
  readonly title: string;
}

/** Unchanged lines that are not shown, and the ways to see them. */
export function GapRow({ diff, gap, title }: Props) {
  const { expand } = useActions();
  const { hidden } = gap;
  return (
    <div className="gap">
      {hidden !== 0 && (
        <span className="gap-tools">
          {(hidden > STEP || hidden < 0) && (
            <>
              {gap.oldStart > 1 && (
                <Tool
                  label="Show more below the lines above"
                  icon="down"
                  onClick={() => expand(diff, gap, "top")}
                />
              )}
              {hidden > 0 && (
                <Tool
                  label="Show more above the lines below"
                  icon="up"
                  onClick={() => expand(diff, gap, "bottom")}
                />
              )}
            </>
          )}
          {hidden > 0 && (
            <Tool
              label={`Show all ${hidden} lines`}
              icon="all"
              onClick={() => expand(diff, gap, "all")}
            />
          )}
        </span>
      )}
      <span>
        {hidden > 0
          ? `${plural(hidden, "unchanged line")}`
          : hidden < 0
            ? "the rest of the file"
            : "⋯"}
      </span>
      {title && (
        <span className="gap-title">
          <Plain text={title} />
        </span>
      )}
    </div>
  );
}

interface ToolProps {
  readonly label: string;
  readonly icon: "up" | "down" | "all";
  readonly onClick: () => void;
}

function Tool({ label, icon, onClick }: ToolProps) {
  return (
    <button type="button" className="tool" title={label} aria-label={label} onClick={onClick}>
      <Icon name={icon} />
    </button>
  );
}
