import { useRef, useState } from "react";
import { fetchLinks } from "../../api/hub";
import { LOCAL, SITE, takePicture } from "../../api/preview";
import type { SessionView } from "../../api/types.gen";
import { Button } from "../../parts/Button";
import { Segments } from "../../parts/Segments";
import { useFleet } from "../../state/fleet/fleet";
import { attempt, notify } from "../../state/page/notices";
import { setCover } from "../../state/page/screen";
import { Frame, SIZES, type Size } from "./Frame";
import "./preview.css";

/** What the session serves, as a browser shows it, and another session's beside it. */
export default function PreviewPane({ session }: { readonly session: SessionView }) {
  const previews = session.previews ?? {};
  const [service, setService] = useState(Object.keys(previews)[0] ?? "");
  const [visited, setVisited] = useState<readonly string[]>(["/"]);
  const [loads, setLoads] = useState(0);
  const [size, setSize] = useState<Size>("fit");
  const [beside, setBeside] = useState("");
  const [busy, setBusy] = useState(false);
  const frames = useRef<HTMLDivElement>(null);
  const path = visited.at(-1) ?? "/";
  const origin = previews[service];
  if (origin === undefined) return <NoPreview />;
  const other = useFleet.getState().sessions[beside]?.previews?.[service];
  const go = (asked: string) => setVisited([...visited, pathOf(asked)]);
  const shoot = () =>
    attempt(async () => {
      const { width, height } = SIZES[size === "fit" ? "wide" : size];
      const taken = await takePicture(session.id, service, path, width, height);
      notify("The picture is in the conversation.", (taken.problems ?? []).join("\n"));
    });
  const point = async () => {
    setBusy(true);
    await attempt(async () => {
      const { width, height } = sizeIn(frames.current);
      const shot = await takePicture(session.id, service, path, width, height);
      setCover({ name: "point", id: session.id, shot: { ...shot, path } });
    });
    setBusy(false);
  };
  return (
    <section className="preview-pane" aria-label="Preview" data-testid="preview">
      <div className="preview-bar" role="toolbar" aria-label="Preview">
        <Button
          look="quiet"
          size="small"
          aria-label="Back"
          disabled={visited.length < 2}
          onClick={() => setVisited(visited.slice(0, -1))}
        >
          ‹
        </Button>
        <Button look="quiet" size="small" aria-label="Reload" onClick={() => setLoads(loads + 1)}>
          ↻
        </Button>
        {Object.keys(previews).length > 1 && (
          <select
            aria-label="Service"
            value={service}
            onChange={(event) => setService(event.target.value)}
          >
            {Object.keys(previews).map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        )}
        <Address key={path} path={path} onGo={go} />
        <Segments
          label="Window"
          options={Object.entries(SIZES).map(([id, { label }]) => ({ id: id as Size, label }))}
          chosen={size}
          onChoose={setSize}
        />
        <Beside session={session} chosen={beside} onChoose={setBeside} />
        <a
          className="button quiet small"
          href={origin + path}
          target="_blank"
          rel="noopener noreferrer"
        >
          Open outside
        </a>
        <Button look="quiet" size="small" onClick={() => void shoot()}>
          Take a picture
        </Button>
        <Button look="quiet" size="small" disabled={busy} onClick={() => void point()}>
          {busy ? "Looking…" : "Point at an element"}
        </Button>
      </div>
      <Elsewhere />
      <div className="preview-frames" ref={frames} data-many={other !== undefined}>
        <Frame
          key={`${origin}${path} ${loads}`}
          title={session.title}
          url={origin + path}
          size={size}
        />
        {other !== undefined && (
          <Frame
            key={`${other}${path} ${loads}`}
            title={useFleet.getState().sessions[beside]?.title ?? beside}
            url={other + path}
            size={size}
          />
        )}
      </div>
    </section>
  );
}

/** That of the app's window, within what a picture can have. */
function sizeIn(frames: HTMLElement | null): { width: number; height: number } {
  const frame = frames?.querySelector("iframe");
  const side = (length = 0) => Math.min(4000, Math.max(100, length));
  return { width: side(frame?.clientWidth), height: side(frame?.clientHeight) };
}

function NoPreview() {
  return (
    <div className="empty">
      <h2>Nothing to show</h2>
      <p>A session's web service is seen here once the session has a port of its own.</p>
    </div>
  );
}

interface AddressProps {
  readonly path: string;
  readonly onGo: (asked: string) => void;
}

function Address({ path, onGo }: AddressProps) {
  const [text, setText] = useState(path);
  return (
    <form
      className="preview-address"
      onSubmit={(event) => {
        event.preventDefault();
        onGo(text);
      }}
    >
      <input
        className="field"
        aria-label="Address"
        value={text}
        spellCheck={false}
        onChange={(event) => setText(event.target.value)}
      />
    </form>
  );
}

interface BesideProps {
  readonly session: SessionView;
  readonly chosen: string;
  readonly onChoose: (id: string) => void;
}

function Beside({ session, chosen, onChoose }: BesideProps) {
  const sessions = useFleet(({ sessions: all }) => all);
  const others = Object.values(sessions).filter(
    ({ id, repo, previews }) =>
      id !== session.id && repo === session.repo && Object.keys(previews ?? {}).length > 0,
  );
  if (others.length === 0) return null;
  return (
    <select
      aria-label="Beside it"
      value={chosen}
      onChange={(event) => onChoose(event.target.value)}
    >
      <option value="">alone</option>
      {others.map(({ id, title }) => (
        <option key={id} value={id}>
          beside {title}
        </option>
      ))}
    </select>
  );
}

/** Under another name of the hub, a frame is of another site, or is not there at all. */
function Elsewhere() {
  const { hostname } = window.location;
  if (hostname === SITE) return null;
  if (!LOCAL.has(hostname)) {
    return <p className="note">Previews are seen in a browser on the hub's own machine.</p>;
  }
  const move = () =>
    attempt(async () => {
      window.location.assign((await fetchLinks()).named ?? "");
    });
  return (
    <p className="note">
      Logins in a preview work once this page is open as {SITE}.{" "}
      <Button look="quiet" size="small" onClick={() => void move()}>
        Open it so
      </Button>
    </p>
  );
}

/** What a person typed or pasted, within the preview's own address. */
function pathOf(asked: string): string {
  const within = asked.trim().replace(/^https?:\/\/[^/]*/, "");
  return within.startsWith("/") ? within : `/${within}`;
}
