import { Button } from "../parts/Button";
import { useFleet } from "../state/fleet";
import { setCover } from "../state/screen";

/** The place beside the list when no session is chosen. */
export function Start() {
  const loaded = useFleet((fleet) => fleet.loaded);
  const empty = useFleet((fleet) => Object.keys(fleet.sessions).length === 0);
  if (!loaded) return <main className="empty" aria-busy="true" />;
  return (
    <main className="empty" data-testid="start">
      {empty ? <FirstSession /> : <Choose />}
    </main>
  );
}

function FirstSession() {
  return (
    <>
      <h1>Give your first agent a task</h1>
      <p>
        A session is one task: its own branch and worktree of your repository, and an agent that
        works there. Your own checkout is never touched.
      </p>
      <ol>
        <li>Name a repository and trust it.</li>
        <li>Say what should be done.</li>
        <li>Watch the changes, answer questions, start the next one meanwhile.</li>
      </ol>
      <p>
        <Button look="primary" hint="N" onClick={() => setCover({ name: "new" })}>
          New session
        </Button>
      </p>
    </>
  );
}

function Choose() {
  return (
    <>
      <h1>No session chosen</h1>
      <p>
        Choose one from the list, or press <code>j</code> for the first. What waits for you is in
        the inbox: <code>g</code> <code>i</code>.
      </p>
    </>
  );
}
