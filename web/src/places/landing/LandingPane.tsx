import type { SessionView } from "../../api/types.gen";
import { Base } from "./Base";
import { CommitForm } from "./CommitForm";
import { LandHere } from "./LandHere";
import { OpenPr } from "./OpenPr";
import { PullRequest } from "./PullRequest";
import { useWays } from "./useWays";
import "./landing.css";

/** How a session's work gets home: a commit, its base, a merge here or a pull request. */
export default function LandingPane({ session }: { readonly session: SessionView }) {
  const standing = useWays(session);
  const { pr } = session;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section className="landing" aria-label="Landing" tabIndex={0}>
      <CommitForm session={session} onCommitted={standing.look} />
      <Base session={session} standing={standing} />
      {pr ? <PullRequest session={session} pr={pr} /> : null}
      {!pr && standing.ways?.forge && <OpenPr session={session} />}
      <LandHere session={session} standing={standing} />
    </section>
  );
}
