/** The page's own notifications: on the desktop and by sound, never for what is on the screen. */

import type { AnyEvent } from "../../api/types.gen";
import { useFleet } from "../fleet/fleet";
import { stored } from "../page/stored";
import { type News, type NewsKind, newsOf } from "./announce";
import { playSound } from "./sound";

interface Wishes {
  readonly desktop: boolean;
  readonly shown: Readonly<Record<NewsKind, boolean>>;
  readonly sounds: Readonly<Record<NewsKind, boolean>>;
}

export const useWishes = stored<Wishes>("notifications", {
  desktop: false,
  shown: { needs: true, failed: true, finished: true },
  sounds: { needs: false, failed: false, finished: false },
});

const CLAIMS = "manyhands.told";
const MOST_CLAIMS = 50;
const CLAIM_MS = 300;
let open: (session: string) => void = () => undefined;
let screen: () => readonly string[] = () => [];

/** How a click on a notification opens its session, and which sessions are on the screen. */
export function startNotifications(
  onOpen: (session: string) => void,
  onScreen: () => readonly string[],
): void {
  open = onOpen;
  screen = onScreen;
}

/** Whether the browser can notify at all: it does so only in a secure context. */
export const canNotify = (): boolean => "Notification" in globalThis && isSecureContext;

/** Turns desktop notifications on or off; asks the browser where it was not asked yet. */
export async function setDesktop(wanted: boolean): Promise<boolean> {
  useWishes.setState({ desktop: wanted });
  const granted = wanted && canNotify() && (await Notification.requestPermission()) === "granted";
  useWishes.setState({ desktop: granted });
  return granted === wanted;
}

export function setWish(kind: NewsKind, which: "shown" | "sounds", wanted: boolean): void {
  useWishes.setState((wishes) => ({ [which]: { ...wishes[which], [kind]: wanted } }));
  if (which === "sounds" && wanted) playSound(kind);
}

export function tellNews(events: readonly AnyEvent[]): void {
  const { sessions } = useFleet.getState();
  for (const event of events) {
    const news = newsOf(event, sessions[event.session ?? ""]);
    if (news === null) continue;
    // A tab that shows it claims it first, and then no other tab tells it.
    if (isSeen(news.session)) claim(news.id);
    else setTimeout(() => claim(news.id) && tell(news), CLAIM_MS);
  }
}

function isSeen(session: string): boolean {
  return document.visibilityState === "visible" && screen().includes(session);
}

/** Whether this tab is the first to tell it. */
function claim(id: string): boolean {
  const told = (localStorage.getItem(CLAIMS) ?? "").split(" ");
  if (told.includes(id)) return false;
  localStorage.setItem(CLAIMS, [...told, id].slice(-MOST_CLAIMS).join(" "));
  return true;
}

function tell(news: News): void {
  const { desktop, shown, sounds } = useWishes.getState();
  if (sounds[news.kind]) playSound(news.kind);
  if (!desktop || !shown[news.kind] || !canNotify() || Notification.permission !== "granted")
    return;
  const made = new Notification(news.title, { body: news.text, tag: news.id });
  made.onclick = () => {
    window.focus();
    open(news.session);
    made.close();
  };
}
