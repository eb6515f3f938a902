import { useEffect } from "react";
import { Link } from "wouter";
import { cancelJob, type Job } from "../../api/insight";
import { Ago } from "../../parts/Ago";
import { Button } from "../../parts/Button";
import { PlaceFrame } from "../../parts/PlaceFrame";
import { useFleet } from "../../state/fleet/fleet";
import { forgetJobs, isOpen, loadJobs, useJobs } from "../../state/fleet/jobs";
import { attempt } from "../../state/page/notices";
import { sessionPath } from "../routes";
import "./jobs.css";

/** Merges, updates, archives: what goes on by itself in several steps, the newest first. */
export default function Jobs() {
  const jobs = useJobs((state) => state.jobs);
  useEffect(() => {
    void attempt(loadJobs);
    return forgetJobs;
  }, []);
  return (
    <PlaceFrame
      title="Jobs"
      says="What goes on by itself in several steps. It survives a restart of the hub."
    >
      {jobs?.length === 0 && <p className="hint">There was no job yet.</p>}
      <ul className="jobs">
        {(jobs ?? []).map((job) => (
          <Line key={job.id} job={job} />
        ))}
      </ul>
    </PlaceFrame>
  );
}

function Line({ job }: { readonly job: Job }) {
  const session = useFleet((state) => state.sessions[job.session]);
  const tone = job.state === "failed" ? "tone-bad" : job.state === "waiting" ? "tone-wait" : "";
  return (
    <li data-testid="job" data-state={job.state}>
      <b>{job.kind}</b>
      {session ? (
        <Link href={sessionPath(session.id)}>
          <bdi>{session.title}</bdi>
        </Link>
      ) : (
        <bdi>{job.title || job.session}</bdi>
      )}
      <span className={tone}>{job.step ? `${job.state}: ${job.step}` : job.state}</span>
      <Ago at={job.ended_at || job.started_at} />
      {isOpen(job) && (
        <Button look="quiet" onClick={() => void attempt(() => cancelJob(job.id))}>
          Cancel
        </Button>
      )}
      {(job.error || job.progress) && <p>{job.error || job.progress}</p>}
    </li>
  );
}
