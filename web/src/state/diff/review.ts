/** The reviews of opened sessions: comments as the hub has them, and drafts as they are typed. */

import { create } from "zustand";
import { type Drafting, draftComment, fetchReview } from "../../api/review";
import { bearer } from "../../api/token";
import type { AnyEvent, CommentView, ReviewView } from "../../api/types.gen";
import { attempt } from "../page/notices";
import { dropUnsaved, keepUnsaved, type Unsaved, unsavedOf } from "./unsaved";

export interface Typed extends Unsaved {
  /** Whether the hub has it as it is. */
  readonly saved: boolean;
}

interface Reviews {
  readonly open: Readonly<Record<string, ReviewView>>;
  /** Drafts whose editor is open, by comment. */
  readonly typed: Readonly<Record<string, Typed>>;
}

export const useReviews = create<Reviews>(() => ({ open: {}, typed: {} }));

const FETCH_AFTER_MS = 150;
const SAVE_AFTER_MS = 400;
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const TOLD = /^(comment_|review_|suggestion_|verdict_|change_reverted|diff_changed|turn_finished)/;

const waiting = new Set<string>();
const saving = new Map<string, ReturnType<typeof setTimeout>>();

export async function loadReview(id: string): Promise<void> {
  try {
    await saveLeft(id).catch(() => undefined);
    put(await fetchReview(id));
  } catch {
    // The socket's return loads it anew.
  }
}

/** Hands over what was typed before a crash, or while the hub was away. */
async function saveLeft(id: string): Promise<void> {
  for (const { session, ...draft } of unsavedOf(id)) {
    if (draft.id in useReviews.getState().typed) continue;
    await draftComment(session, draft);
    dropUnsaved(draft.id);
  }
}

export function noteReviews(events: readonly AnyEvent[]): void {
  const { open } = useReviews.getState();
  for (const event of events) {
    const id = event.session ?? "";
    const review = open[id];
    if (review === undefined || !concerns(review, event)) continue;
    if (waiting.has(id)) continue;
    waiting.add(id);
    setTimeout(() => {
      waiting.delete(id);
      void loadReview(id);
    }, FETCH_AFTER_MS);
  }
}

/** A change of files says something only where comments stand on them. */
function concerns(review: ReviewView, event: AnyEvent): boolean {
  if (event.type === "agent_message") return review.comments.some(({ sent }) => sent !== "");
  if (event.type !== "diff_changed") return TOLD.test(event.type);
  return review.comments.some(({ path }) => path === "" || path === event.path);
}

export async function reloadReviews(): Promise<void> {
  await Promise.all(Object.keys(useReviews.getState().open).map(loadReview));
}

export function freshComment(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(5));
  return `c${[...bytes].map((byte) => ALPHABET[byte % 32]).join("")}`;
}

/** Opens the editor of a draft, new or known. */
export function editDraft(session: string, draft: Drafting): void {
  setTyped(draft.id, { ...draft, session, saved: true });
}

export function editComment(session: string, comment: CommentView): void {
  const { id, path, side, start, end, lines, text, suggestion } = comment;
  editDraft(session, { id, path, side, start, end, lines, text, suggestion });
}

/** What is typed reaches the hub after a moment's rest. */
export function typeDraft(id: string, change: Partial<Drafting>): void {
  const typed = useReviews.getState().typed[id];
  if (typed === undefined) return;
  const { saved: _, ...draft } = { ...typed, ...change };
  setTyped(id, { ...draft, saved: false });
  if (draft.text.trim() === "") dropUnsaved(id);
  else keepUnsaved(draft);
  clearTimeout(saving.get(id));
  saving.set(
    id,
    setTimeout(() => void saveDraft(id), SAVE_AFTER_MS),
  );
}

export async function saveDraft(id: string): Promise<boolean> {
  clearTimeout(saving.get(id));
  const typed = useReviews.getState().typed[id];
  if (typed === undefined || typed.saved || typed.text.trim() === "") return true;
  const { session, saved: _, ...draft } = typed;
  return attempt(async () => {
    const comment = await draftComment(session, draft);
    const now = useReviews.getState().typed[id];
    if (now?.text === typed.text && now.suggestion === typed.suggestion) {
      setTyped(id, { ...now, saved: true });
      dropUnsaved(id);
    }
    putComment(session, comment);
  });
}

/** Saves what is typed and closes the editor. */
export async function finishDraft(id: string): Promise<void> {
  if (await saveDraft(id)) closeDraft(id);
}

export function closeDraft(id: string): void {
  clearTimeout(saving.get(id));
  dropUnsaved(id);
  useReviews.setState(({ typed }) => {
    const { [id]: _, ...others } = typed;
    return { typed: others };
  });
}

/** A page that goes away hands over what was typed last. */
function flush(): void {
  for (const { session, saved, ...draft } of Object.values(useReviews.getState().typed)) {
    if (saved || draft.text.trim() === "") continue;
    void fetch(`/api/sessions/${session}/review/comments`, {
      method: "POST",
      keepalive: true,
      headers: { ...bearer(), "Content-Type": "application/json" },
      body: JSON.stringify(draft),
    });
  }
}
if (typeof window !== "undefined") window.addEventListener("pagehide", flush);

export function putComment(session: string, comment: CommentView): void {
  const review = useReviews.getState().open[session];
  if (review === undefined) return;
  const known = review.comments.some(({ id }) => id === comment.id);
  const comments = known
    ? review.comments.map((other) => (other.id === comment.id ? comment : other))
    : [...review.comments, comment];
  put({ ...review, comments, pending: comments.filter(({ pending }) => pending).length });
}

export function put(review: ReviewView): void {
  useReviews.setState(({ open }) => ({ open: { ...open, [review.session]: review } }));
}

function setTyped(id: string, typed: Typed): void {
  useReviews.setState((state) => ({ typed: { ...state.typed, [id]: typed } }));
}
