import { type Watch, watchPr } from "../../api/landing";
import { attempt } from "../../state/page/notices";

interface Props {
  readonly session: string;
  readonly watch: Watch;
  readonly onDone: () => Promise<void>;
}

const TIMES = [0, 1, 2, 3, 5, 10];

/** What comes to the agent without a person, and how often at most. Nothing is ever merged by it. */
export function Watched({ session, watch, onDone }: Props) {
  const set = (times: Parameters<typeof watchPr>[1]) =>
    void attempt(async () => {
      await watchPr(session, times);
      await onDone();
    });
  return (
    <>
      <h3>Goes to its agent by itself</h3>
      <div className="watched">
        <Times
          label="Failing checks"
          used={watch.rounds}
          most={watch.fix_checks}
          onChange={(fix_checks) => set({ fix_checks })}
        />
        <Times
          label="Review comments"
          used={watch.review_rounds}
          most={watch.send_reviews}
          onChange={(send_reviews) => set({ send_reviews })}
        />
        {watch.stopped && <span className="tone-wait">All rounds are used up.</span>}
      </div>
    </>
  );
}

interface TimesProps {
  readonly label: string;
  readonly used: number;
  readonly most: number;
  readonly onChange: (most: number) => void;
}

function Times({ label, used, most, onChange }: TimesProps) {
  const offered = TIMES.includes(most) ? TIMES : [...TIMES, most];
  return (
    <label>
      {label}{" "}
      <select
        aria-label={label}
        value={most}
        onChange={(event) => onChange(Number(event.target.value))}
      >
        {offered.map((times) => (
          <option key={times} value={times}>
            {times === 0 ? "never" : `at most ${times} times`}
          </option>
        ))}
      </select>
      {used > 0 && <span className="quiet"> {used} so far</span>}
    </label>
  );
}
