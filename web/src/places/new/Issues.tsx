import { useEffect, useState } from "react";
import { fetchIssues, fetchTrackers, type Issue, type Tracker } from "../../api/issues";
import { Problem } from "../../api/request";
import { Hint } from "../../parts/Hint";
import { usePaced } from "../../state/page/paced";

interface Props {
  readonly repo: string;
  readonly picked: readonly Issue[];
  readonly onPick: (picked: readonly Issue[]) => void;
}

/** Issues to begin with: each that is picked becomes a session of its own. */
export function Issues({ repo, picked, onPick }: Props) {
  const [trackers, setTrackers] = useState<readonly Tracker[]>([]);
  const [tracker, setTracker] = useState("");
  const [search, setSearch] = useState("");
  const [mine, setMine] = useState(false);
  useEffect(() => {
    void fetchTrackers(repo).then(setTrackers, () => undefined);
  }, [repo]);
  const { found, problem } = useFound(repo, tracker, search, mine);
  const toggle = (issue: Issue) => {
    const others = picked.filter(({ ref }) => ref !== issue.ref);
    onPick(others.length < picked.length ? others : [...picked, issue]);
  };
  // What was picked stays in sight, whatever is searched for next.
  const away = picked.filter(({ ref }) => !found?.some((issue) => issue.ref === ref));
  return (
    <fieldset className="issues" aria-label="Issues" data-testid="issues">
      <div className="issues-top">
        {trackers.length > 1 && (
          <select
            className="snug"
            aria-label="Tracker"
            value={tracker}
            onChange={(event) => setTracker(event.target.value)}
          >
            <option value="">all trackers</option>
            {trackers.map(({ name, project }) => (
              <option key={name} value={name}>
                {name} {project}
              </option>
            ))}
          </select>
        )}
        <input
          className="field"
          type="search"
          aria-label="Search issues"
          placeholder="Search issues"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
        />
        <label className="check">
          <input
            type="checkbox"
            checked={mine}
            onChange={(event) => setMine(event.target.checked)}
          />{" "}
          Mine
        </label>
      </div>
      {problem && (
        <p role="status" className="none">
          No issues to pick from: {problem.message}. <Hint text={problem.hint} />
        </p>
      )}
      {found === null && !problem && <p>Asking for issues…</p>}
      {found?.length === 0 && !problem && <p>No open issue{search && ` matches “${search}”`}.</p>}
      <ul>
        {[...away, ...(found ?? [])].map((issue) => (
          <One
            key={issue.ref}
            issue={issue}
            picked={picked.some(({ ref }) => ref === issue.ref)}
            onToggle={() => toggle(issue)}
          />
        ))}
      </ul>
    </fieldset>
  );
}

interface Found {
  /** Null until they are known. */
  readonly found: readonly Issue[] | null;
  readonly problem: Problem | null;
}

/** The issues that match, asked for once a person pauses. */
function useFound(repo: string, tracker: string, search: string, mine: boolean): Found {
  const words = usePaced(search.trim());
  const [answer, setAnswer] = useState<Found>({ found: null, problem: null });
  useEffect(() => {
    let wanted = true;
    const take = (taken: Found) => wanted && setAnswer(taken);
    void fetchIssues(repo, tracker, words, mine).then(
      (found) => take({ found, problem: null }),
      (error) => take({ found: [], problem: error instanceof Problem ? error : null }),
    );
    return () => {
      wanted = false;
    };
  }, [repo, tracker, words, mine]);
  return answer;
}

interface OneProps {
  readonly issue: Issue;
  readonly picked: boolean;
  readonly onToggle: () => void;
}

function One({ issue, picked, onToggle }: OneProps) {
  const { key, title, labels, sessions } = issue;
  return (
    <li>
      <label>
        <input type="checkbox" checked={picked} onChange={onToggle} />
        <span className="issue-key">{key}</span>
        <span className="issue-title">{title}</span>
        <span className="issue-taken">
          {sessions.length > 0 ? "has a session" : labels.slice(0, 2).join(", ")}
        </span>
      </label>
    </li>
  );
}
