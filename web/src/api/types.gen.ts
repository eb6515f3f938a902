// Generated from the Python model by scripts/generate_types.py. Do not edit.

export type AgentKind = "acp" | "claude" | "terminal";

export type Mode = "ask" | "auto" | "edits" | "plan";

export type Outcome = "done" | "failed" | "interrupted";

export type AttentionKind = "agent_died" | "bell" | "budget" | "conflict" | "limit" | "permission" | "plan" | "question" | "setup_failed" | "stray_edit" | "trust";

export type FileStatus = "added" | "deleted" | "modified" | "renamed" | "typechange" | "unchanged";

export type Status = "archived" | "failed" | "idle" | "preparing" | "queued" | "unreachable" | "waiting" | "working";

export type Review = "approved" | "commented" | "none";

export interface SessionCreated {
  readonly type: "session_created";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly title: string;
  readonly slug: string;
  readonly repo: string;
  readonly branch: string;
  readonly base: string;
  readonly base_commit: string;
  readonly worktree: string;
  readonly agent: string;
  readonly kind: AgentKind;
  readonly model?: string;
  readonly mode?: Mode;
  readonly start?: boolean;
}

/** A step of the creation saga is about to run; recorded before it does. */
export interface StepStarted {
  readonly type: "step_started";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly step: string;
}

export interface StepFinished {
  readonly type: "step_finished";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly step: string;
}

export interface WorktreeReady {
  readonly type: "worktree_ready";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly worktree: string;
  readonly branch: string;
  readonly base_commit: string;
}

/** All creation steps are done; agents may start. */
export interface SessionReady {
  readonly type: "session_ready";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
}

export interface SessionFailed {
  readonly type: "session_failed";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly step: string;
  readonly error: string;
  readonly hint?: string;
}

export interface SessionQueued {
  readonly type: "session_queued";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly reason: string;
}

/** The session may work now: it holds one of the places of `limits.working`. */
export interface PlaceGranted {
  readonly type: "place_granted";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
}

/** A person stopped what had not begun: nothing goes on by itself before the next word. */
export interface SessionStopped {
  readonly type: "session_stopped";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
}

export interface SessionRenamed {
  readonly type: "session_renamed";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly title: string;
}

/** A person looked at what was unread. */
export interface SessionRead {
  readonly type: "session_read";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
}

export interface SessionArchived {
  readonly type: "session_archived";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly rescue?: string;
  readonly trash?: string;
}

export interface SessionRestored {
  readonly type: "session_restored";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly note?: string;
}

export interface ModeChanged {
  readonly type: "mode_changed";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly mode: Mode;
}

export interface ModelChanged {
  readonly type: "model_changed";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly model: string;
}

/** Something a reader of the log must know and no other event says. */
export interface NoteMade {
  readonly type: "note_made";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly text: string;
}

/** Recorded before the fork: from here on every other epoch of this session is fenced off. */
export interface KeeperStarted {
  readonly type: "keeper_started";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly epoch: number;
}

export interface KeeperExited {
  readonly type: "keeper_exited";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly epoch: number;
  readonly reason?: string;
}

export interface KeeperUnreachable {
  readonly type: "keeper_unreachable";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly epoch: number;
  readonly reason: string;
}

export interface KeeperReached {
  readonly type: "keeper_reached";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly epoch: number;
}

/** A message on its way to the agent; `by` is "human" or, for what we send ourselves, "hub". */
export interface UserMessage {
  readonly type: "user_message";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly message: string;
  readonly text: string;
  readonly steer?: boolean;
  readonly by?: string;
}

export interface FollowUpAdded {
  readonly type: "follow_up_added";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly message: string;
  readonly text: string;
}

export interface MessageDelivered {
  readonly type: "message_delivered";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly message: string;
}

/** A finished piece of agent text, whole; `parent` is the tool call of a sub-agent. */
export interface AgentMessage {
  readonly type: "agent_message";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly message: string;
  readonly text: string;
  readonly parent?: string;
}

export interface AgentThought {
  readonly type: "agent_thought";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly message: string;
  readonly text: string;
  readonly parent?: string;
}

export interface AgentStarted {
  readonly type: "agent_started";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly agent: string;
  readonly agent_session: string;
  readonly pid: number;
  readonly model?: string;
  readonly version?: string;
  readonly resumed?: boolean;
}

/** `expected` is true only where we asked it to stop. */
export interface AgentExited {
  readonly type: "agent_exited";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly returncode?: number | null;
  readonly expected?: boolean;
  readonly reason?: string;
}

export interface ToolCalled {
  readonly type: "tool_called";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly call: string;
  readonly tool: string;
  readonly input?: Record<string, unknown>;
  readonly input_bytes?: number;
  readonly parent?: string;
}

export interface ToolFinished {
  readonly type: "tool_finished";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly call: string;
  readonly tool: string;
  readonly output?: string;
  readonly output_bytes?: number;
  readonly is_error?: boolean;
  readonly parent?: string;
}

export interface TurnStarted {
  readonly type: "turn_started";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
}

export interface TurnFinished {
  readonly type: "turn_finished";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly outcome?: Outcome;
  readonly error?: string;
}

/** What was used since the last record, never a running total. */
export interface UsageRecorded {
  readonly type: "usage_recorded";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly model?: string;
  readonly tokens_in?: number;
  readonly tokens_out?: number;
  readonly cost_usd?: number;
}

export interface PlanProposed {
  readonly type: "plan_proposed";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly item: Attention;
}

export interface Attention {
  readonly id: string;
  readonly session: string;
  readonly conversation: string;
  readonly kind: AttentionKind;
  readonly summary: string;
  readonly detail: Record<string, unknown>;
  readonly options: readonly Option[];
  readonly raised_at: string;
  readonly resolved_at: string | null;
  readonly resolution: Resolution | null;
}

export interface Option {
  readonly id: string;
  readonly label: string;
}

/** How an item was settled: the chosen options, and words where they were given. */
export interface Resolution {
  readonly options?: readonly string[];
  readonly text?: string;
  readonly by?: string;
}

export interface PermissionRequested {
  readonly type: "permission_requested";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly item: Attention;
}

export interface QuestionAsked {
  readonly type: "question_asked";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly item: Attention;
}

/** Every other kind of attention. */
export interface AttentionRaised {
  readonly type: "attention_raised";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly item: Attention;
}

export interface AttentionResolved {
  readonly type: "attention_resolved";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly item: string;
  readonly resolution: Resolution;
}

export interface AnswerDelivered {
  readonly type: "answer_delivered";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly item: string;
}

/** One path against the base, and the session's totals after it; "unchanged" = as in base. */
export interface DiffChanged {
  readonly type: "diff_changed";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly path: string;
  readonly status: FileStatus;
  readonly added?: number;
  readonly removed?: number;
  readonly binary?: boolean;
  readonly total_added?: number;
  readonly total_removed?: number;
  readonly total_files?: number;
}

export interface CheckpointMade {
  readonly type: "checkpoint_made";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly checkpoint: string;
  readonly commit: string;
}

export interface RepoAdded {
  readonly type: "repo_added";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly path: string;
  readonly default_base?: string;
}

export interface RepoTrusted {
  readonly type: "repo_trusted";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly path: string;
  readonly digest?: string;
}

/** A permission that holds for a whole repository; `command` only for shell tools. */
export interface RuleAdded {
  readonly type: "rule_added";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly path: string;
  readonly tool: string;
  readonly command?: string;
}

/** `offset` counts characters from the start of the message's text. */
export interface TextDelta {
  readonly type: "text_delta";
  readonly session: string;
  readonly live: true;
  readonly turn: number;
  readonly conversation: string;
  readonly message: string;
  readonly offset: number;
  readonly text: string;
  readonly thinking: boolean;
  readonly parent: string;
}

/** A tool call that the agent is still writing or running. */
export interface ToolProgress {
  readonly type: "tool_progress";
  readonly session: string;
  readonly live: true;
  readonly turn: number;
  readonly conversation: string;
  readonly call: string;
  readonly tool: string;
  readonly text: string;
}

export interface SessionView {
  readonly id: string;
  readonly title: string;
  readonly slug: string;
  readonly repo: string;
  readonly branch: string;
  readonly base: string;
  readonly base_commit: string;
  readonly worktree: string;
  readonly agent: string;
  readonly kind: AgentKind;
  readonly model: string;
  readonly mode: Mode;
  readonly status: Status;
  readonly reason: string;
  readonly attention: readonly Attention[];
  readonly unread: boolean;
  readonly review: Review;
  readonly turn: number;
  readonly cost_usd: number;
  readonly tokens: Tokens;
  readonly added: number;
  readonly removed: number;
  readonly files_changed: number;
  readonly ports: Record<string, number>;
  readonly pr: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly error: string | null;
  readonly hint: string;
  readonly follow_ups: readonly Message[];
  readonly agent_pid: number;
  readonly agent_session: string;
}

export interface Tokens {
  readonly in: number;
  readonly out: number;
}

export interface Message {
  readonly id: string;
  readonly text: string;
}

export interface RepoView {
  readonly path: string;
  readonly trusted: boolean;
  readonly default_base: string;
}

export interface AgentView {
  readonly name: string;
  readonly kind: AgentKind;
  readonly installed: boolean;
  readonly version: string;
  readonly logged_in: boolean | null;
  readonly models: readonly string[];
  readonly hint: string;
}

export type AnyEvent =
  | SessionCreated
  | StepStarted
  | StepFinished
  | WorktreeReady
  | SessionReady
  | SessionFailed
  | SessionQueued
  | PlaceGranted
  | SessionStopped
  | SessionRenamed
  | SessionRead
  | SessionArchived
  | SessionRestored
  | ModeChanged
  | ModelChanged
  | NoteMade
  | KeeperStarted
  | KeeperExited
  | KeeperUnreachable
  | KeeperReached
  | UserMessage
  | FollowUpAdded
  | MessageDelivered
  | AgentMessage
  | AgentThought
  | AgentStarted
  | AgentExited
  | ToolCalled
  | ToolFinished
  | TurnStarted
  | TurnFinished
  | UsageRecorded
  | PlanProposed
  | PermissionRequested
  | QuestionAsked
  | AttentionRaised
  | AttentionResolved
  | AnswerDelivered
  | DiffChanged
  | CheckpointMade
  | RepoAdded
  | RepoTrusted
  | RuleAdded;

export type AnyLive =
  | TextDelta
  | ToolProgress;
