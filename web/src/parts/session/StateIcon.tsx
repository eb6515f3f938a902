import type { SessionView } from "../../api/types.gen";

const QUESTION = "M5.4 5.4a1.7 1.7 0 1 1 2.3 1.6c-.5.2-.7.5-.7 1M7 10v.1";
const MARK = "M7 4v4M7 10v.1";
const TICK = "M4.2 7.2l2 2 3.6-4";
const CROSS = "M5 5l4 4M9 5l-4 4";

/** A session's state as a shape; beside it always stands the word. */
export function StateIcon({ session }: { readonly session: SessionView }) {
  return (
    <svg className={`state-icon ${toneOf(session)}`} viewBox="0 0 14 14" aria-hidden="true">
      {shape(session)}
    </svg>
  );
}

export function toneOf(session: SessionView): string {
  if (session.status === "idle") return session.unread ? "ok" : "faint";
  const tones: Record<string, string> = {
    waiting: "wait",
    working: "work",
    failed: "bad",
    unreachable: "bad",
  };
  return tones[session.status] ?? "faint";
}

function shape(session: SessionView) {
  switch (session.status) {
    case "waiting":
      return ring(session.attention[0]?.kind === "question" ? QUESTION : MARK);
    case "working":
      return (
        <>
          <circle className="track" cx="7" cy="7" r="5.6" />
          <path className="spin" d="M7 1.4A5.6 5.6 0 0 1 12.6 7" />
        </>
      );
    case "queued":
    case "preparing":
      return ring("M7 4.4V7l1.8 1.4");
    case "failed":
    case "unreachable":
      return ring(CROSS);
    default:
      return session.unread ? disc() : <circle cx="7" cy="7" r="5.8" strokeDasharray="2.2 2.2" />;
  }
}

function ring(path: string) {
  return (
    <>
      <circle cx="7" cy="7" r="6" />
      <path d={path} />
    </>
  );
}

function disc() {
  return (
    <>
      <circle className="disc" cx="7" cy="7" r="6.2" />
      <path className="on-disc" d={TICK} />
    </>
  );
}
