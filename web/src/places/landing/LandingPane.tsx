import type { SessionView } from "../../api/types.gen";
import { CommitForm } from "./CommitForm";
import { OpenPr } from "./OpenPr";
import { PullRequest } from "./PullRequest";
import "./landing.css";

/** How a session's work gets home: a commit, a pull request, a merge. */
export default function LandingPane({ session }: { readonly session: SessionView }) {
  return (
    <section className="landing" aria-label="Landing">
      <CommitForm session={session} />
      {session.pr === null || session.pr === undefined ? (
        <OpenPr session={session} />
      ) : (
        <PullRequest session={session} pr={session.pr} />
      )}
    </section>
  );
}
