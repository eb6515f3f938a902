// Generated from the Python model by scripts/generate_types.py. Do not edit.

export const REVOKED = 4001;

export type AgentKind = "acp" | "claude" | "terminal";

export type Mode = "ask" | "auto" | "edits" | "plan";

export type BoxLevel = "files" | "full" | "none";

export type Network = "listed" | "none" | "open";

export type BoxMeans = "" | "bubblewrap" | "landlock" | "seatbelt";

export type FileStatus = "added" | "deleted" | "modified" | "renamed" | "typechange" | "unchanged";

export type Outcome = "done" | "failed" | "interrupted";

export type TodoState = "doing" | "done" | "pending";

export type Decided = "allow" | "deny";

export type RuleKind = "call" | "glob" | "prefix" | "tool";

export type SetupOutcome = "done" | "failed" | "reused" | "skipped";

export type DatabaseKind = "neon" | "postgres" | "sqlite";

export type ClashKind = "conflict" | "overlap";

export type MergeMethod = "merge" | "rebase" | "squash";

export type UpdateMethod = "merge" | "rebase";

export type PrState = "closed" | "draft" | "merged" | "open";

export type ChecksState = "failed" | "none" | "passed" | "running";

export type PrReview = "approved" | "changes" | "none";

export type DraftKind = "check" | "comment" | "review" | "thread";

export type DraftEnd = "dismissed" | "replied" | "resolved" | "sent";

export type WatchReason = "checks" | "reviews";

export type Stage = "done" | "in_progress" | "in_review";

export type AttentionKind = "agent_died" | "bell" | "budget" | "conflict" | "issues" | "landing" | "limit" | "permission" | "plan" | "question" | "setup_failed" | "stray_edit" | "trust";

export type Told = "muted" | "seen" | "sent";

export type Side = "new" | "old";

export type ServiceEnd = "crashed" | "stopped";

export type FieldKind = "choice" | "integer" | "list" | "number" | "other" | "switch" | "table" | "text";

export type JobState = "cancelled" | "done" | "failed" | "running" | "waiting";

export type ServiceState = "crashed" | "healthy" | "starting" | "stopped" | "unhealthy";

export type Status = "archived" | "failed" | "idle" | "preparing" | "queued" | "unreachable" | "waiting" | "working";

export type Review = "approved" | "commented" | "none";

export type ConversationStatus = "failed" | "idle" | "queued" | "waiting" | "working";

export type SetupState = "" | "done" | "failed" | "reused" | "running" | "skipped";

export type Effort = "high" | "low" | "max" | "medium" | "xhigh";

export type BaseRelation = "ahead" | "behind" | "diverged" | "fixed" | "local" | "missing" | "remote" | "same";

export type FileKind = "binary" | "image" | "link" | "text";

export type FindingKind = "env_file" | "large_file" | "secret" | "workflow";

export type CommentState = "addressed" | "answered" | "draft" | "open" | "resolved";

export type Viewed = "changed" | "no" | "yes";

export type Goal = "archived" | "attention" | "idle";

export type WaitOutcome = "attention" | "failed" | "reached" | "timeout";

export interface SessionCreated {
  readonly type: "session_created";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
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
  readonly effort?: string;
  readonly mode?: Mode;
  readonly budget_usd?: number | null;
  readonly budget_minutes?: number | null;
  readonly box?: BoxLevel | null;
  readonly network?: Network | null;
  readonly start?: boolean;
  readonly new_branch?: boolean;
  readonly base_tip?: string;
  readonly base_given?: boolean;
  readonly tip?: string;
  readonly spare?: number;
  readonly in_place?: boolean;
  readonly adopted?: boolean;
  readonly origin?: string;
  readonly seed?: string;
  readonly fork_of?: string;
  readonly fork_at?: string;
  readonly fork_in?: string;
}

/** Who asked for it: by which way in, under whose token (by name, never the token itself), and which program that was. */
export interface Asker {
  readonly via: "api" | "cli" | "page";
  readonly token: string;
  readonly pid?: number;
  readonly program?: string;
  readonly seen?: boolean;
}

/** A step of the creation saga is about to run; recorded before it does. */
export interface StepStarted {
  readonly type: "step_started";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly step: string;
}

export interface StepFinished {
  readonly type: "step_finished";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly step: string;
}

/** All creation steps are done; agents may start. */
export interface SessionReady {
  readonly type: "session_ready";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
}

export interface SessionFailed {
  readonly type: "session_failed";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly step: string;
  readonly error: string;
  readonly hint?: string;
}

export interface SessionArchived {
  readonly type: "session_archived";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
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
  readonly asked_by?: Asker | null;
  readonly note?: string;
}

/** What is in the trash has been there for its time; a later sweep removes it. */
export interface ExpiryAnnounced {
  readonly type: "expiry_announced";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
}

/** The files are gone for good; `kept` is what is left of it, and where. */
export interface SessionRemoved {
  readonly type: "session_removed";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly kept?: readonly string[];
  readonly lost?: readonly string[];
}

/** The files are about to go back; recorded before they do, after what is there was kept. */
export interface RewindStarted {
  readonly type: "rewind_started";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly checkpoint: string;
}

/** Files are as at the checkpoint; `forked` tells whether the dialogue goes on from there. */
export interface SessionRewound {
  readonly type: "session_rewound";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly checkpoint: string;
  readonly commit: string;
  readonly forked?: boolean;
  readonly note?: string;
}

/** Recorded before the fork: from here on every other epoch of this session is fenced off. */
export interface KeeperStarted {
  readonly type: "keeper_started";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly epoch: number;
}

export interface KeeperExited {
  readonly type: "keeper_exited";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
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
  readonly asked_by?: Asker | null;
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
  readonly asked_by?: Asker | null;
  readonly epoch: number;
}

export interface SessionQueued {
  readonly type: "session_queued";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
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
  readonly asked_by?: Asker | null;
}

/** A person stopped what had not begun: nothing goes on by itself before the next word. */
export interface SessionStopped {
  readonly type: "session_stopped";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
}

export interface SessionRenamed {
  readonly type: "session_renamed";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
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
  readonly asked_by?: Asker | null;
}

export interface ModeChanged {
  readonly type: "mode_changed";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly mode: Mode;
}

export interface ModelChanged {
  readonly type: "model_changed";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly model: string;
}

/** A person chose the session's box; None: as the repository or the user has it. It holds for the next agent that is started. */
export interface BoxChanged {
  readonly type: "box_changed";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly level?: BoxLevel | null;
  readonly network?: Network | null;
}

/** What really holds around the agent that is being started; `reason`, why it is not more. */
export interface BoxEntered {
  readonly type: "box_entered";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly level: BoxLevel;
  readonly by?: BoxMeans;
  readonly network?: Network;
  readonly reason?: string;
  readonly apart?: boolean;
}

/** The wall clock went on by so much while the agent worked, though no such time went by: it was set, or the machine slept. */
export interface ClockJumped {
  readonly type: "clock_jumped";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly seconds: number;
}

/** Something a reader of the log must know and no other event says. */
export interface NoteMade {
  readonly type: "note_made";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly text: string;
}

/** The session goes on with a dialogue that its agent had in this worktree before. */
export interface ConversationResumed {
  readonly type: "conversation_resumed";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly agent_session: string;
}

/** One path against the base, what git would store for it, and the session's totals after it. */
export interface DiffChanged {
  readonly type: "diff_changed";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly path: string;
  readonly old_path?: string;
  readonly status: FileStatus;
  readonly added?: number;
  readonly removed?: number;
  readonly binary?: boolean;
  readonly mode?: string;
  readonly oid?: string;
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
  readonly asked_by?: Asker | null;
  readonly checkpoint: string;
  readonly commit: string;
}

/** What the turn left could not be kept. */
export interface CheckpointFailed {
  readonly type: "checkpoint_failed";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly error: string;
}

/** A message on its way to the agent; `by` is "human" or, for what we send ourselves, "hub". */
export interface UserMessage {
  readonly type: "user_message";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly message: string;
  readonly text: string;
  readonly steer?: boolean;
  readonly by?: string;
  readonly resumes?: boolean;
  readonly model?: string;
  readonly effort?: string;
  readonly attachments?: readonly Attachment[];
}

/** A file that goes with a message; its content lies at `path`, under the home. */
export interface Attachment {
  readonly name: string;
  readonly media_type: string;
  readonly size: number;
  readonly path: string;
}

export interface FollowUpAdded {
  readonly type: "follow_up_added";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly message: string;
  readonly text: string;
  readonly model?: string;
  readonly effort?: string;
  readonly attachments?: readonly Attachment[];
}

export interface FollowUpEdited {
  readonly type: "follow_up_edited";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly message: string;
  readonly text: string;
}

export interface FollowUpDeleted {
  readonly type: "follow_up_deleted";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly message: string;
}

export interface MessageDelivered {
  readonly type: "message_delivered";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly message: string;
}

/** Said to the agent in its own program, as that has noted it. */
export interface MessageTyped {
  readonly type: "message_typed";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly message: string;
  readonly text: string;
}

/** A finished piece of agent text, whole; `parent` is the tool call of a sub-agent. */
export interface AgentMessage {
  readonly type: "agent_message";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly message: string;
  readonly text: string;
  readonly parent?: string;
}

/** Another dialogue beside the main one, in the same worktree; its id is the envelope's. */
export interface ConversationOpened {
  readonly type: "conversation_opened";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly agent: string;
  readonly kind: string;
  readonly model?: string;
  readonly writes?: boolean;
}

/** The agent's own program has the dialogue, in this terminal: nothing else is said to it until it is given back. */
export interface ConversationTaken {
  readonly type: "conversation_taken";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly terminal: string;
  readonly name: string;
  readonly by?: string;
}

/** `reason`: why the program ended, where nobody had asked for it. */
export interface ConversationReturned {
  readonly type: "conversation_returned";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly reason?: string;
}

/** `steers`: it takes a message in the middle of a turn. */
export interface AgentStarted {
  readonly type: "agent_started";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly agent: string;
  readonly agent_session: string;
  readonly pid: number;
  readonly model?: string;
  readonly version?: string;
  readonly resumed?: boolean;
  readonly steers?: boolean;
}

/** `expected` is true only where we asked it to stop. */
export interface AgentExited {
  readonly type: "agent_exited";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly returncode?: number | null;
  readonly expected?: boolean;
  readonly reason?: string;
}

/** `parent` is the call by which the sub-agent was started that makes this one. */
export interface ToolCalled {
  readonly type: "tool_called";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly call: string;
  readonly tool: string;
  readonly input?: Record<string, unknown>;
  readonly input_bytes?: number;
  readonly parent?: string;
}

/** `tool` and `input` as they are known at the end; no input where it was told at the call. */
export interface ToolFinished {
  readonly type: "tool_finished";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly call: string;
  readonly tool: string;
  readonly output?: string;
  readonly output_bytes?: number;
  readonly is_error?: boolean;
  readonly parent?: string;
  readonly input?: Record<string, unknown> | null;
}

export interface TurnStarted {
  readonly type: "turn_started";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
}

/** `mark` is the agent's own name for this point of the dialogue, where it has one. */
export interface TurnFinished {
  readonly type: "turn_finished";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly outcome?: Outcome;
  readonly error?: string;
  readonly mark?: string;
  readonly limited?: boolean;
  readonly resets_at?: string;
}

/** What was used since the last record, never a running total. */
export interface UsageRecorded {
  readonly type: "usage_recorded";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly model?: string;
  readonly tokens_in?: number;
  readonly tokens_out?: number;
  readonly cost_usd?: number;
  readonly estimated?: boolean;
}

/** The agent's own list of what it has to do, whole. */
export interface TodosChanged {
  readonly type: "todos_changed";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly todos: readonly Todo[];
}

export interface Todo {
  readonly text: string;
  readonly state: TodoState;
}

/** How many tokens of the model's window the dialogue fills. */
export interface ContextMeasured {
  readonly type: "context_measured";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly used: number;
  readonly limit: number;
}

export interface CommandsListed {
  readonly type: "commands_listed";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly commands: readonly AgentCommand[];
}

/** A slash command or skill that the agent offers. */
export interface AgentCommand {
  readonly name: string;
  readonly description: string;
}

export interface EffortChanged {
  readonly type: "effort_changed";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly effort: string;
}

export interface AgentThought {
  readonly type: "agent_thought";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly message: string;
  readonly text: string;
  readonly parent?: string;
}

/** The model did not answer as it should, and the agent tries it again by itself. */
export interface AgentRetried {
  readonly type: "agent_retried";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly text: string;
  readonly status?: number;
}

/** The agent summarised its dialogue to make room. */
export interface Compacted {
  readonly type: "compacted";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly before?: number;
  readonly after?: number;
}

/** The session's own budget; None: the configured one holds. */
export interface BudgetChanged {
  readonly type: "budget_changed";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly usd?: number | null;
  readonly minutes?: number | null;
}

/** Who let a tool call run, or did not, and by which rule; `by`: human, rule, mode, grant. */
export interface PermissionDecided {
  readonly type: "permission_decided";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly tool: string;
  readonly what: string;
  readonly decision: Decided;
  readonly by: string;
  readonly rule?: string;
  readonly call?: string;
  readonly item?: string;
}

/** A tool call waits because a budget is used up, or waits no longer. */
export interface AgentHeld {
  readonly type: "agent_held";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly on?: boolean;
}

export interface SessionRuleAdded {
  readonly type: "session_rule_added";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly tool: string;
  readonly command?: string;
  readonly kind?: RuleKind;
}

export interface SessionRuleRemoved {
  readonly type: "session_rule_removed";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly tool: string;
  readonly command?: string;
  readonly kind?: RuleKind;
}

export interface RepoAdded {
  readonly type: "repo_added";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly path: string;
  readonly default_base?: string;
}

/** A person approved what the repository could run: `files` as they are now, by content. */
export interface RepoTrusted {
  readonly type: "repo_trusted";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly path: string;
  readonly digest?: string;
  readonly files?: Record<string, string>;
  readonly approved?: readonly string[];
}

/** Where all remotes lead, as the person who trusted the repository saw it; credentials go nowhere else. */
export interface RemotesPinned {
  readonly type: "remotes_pinned";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly path: string;
  readonly remotes: Record<string, RemoteAddress>;
}

/** By every rewriting that any config names; git pushes to all of the second. */
export interface RemoteAddress {
  readonly fetch: string;
  readonly push: readonly string[];
}

/** A permission that holds for a whole repository; `command` is the rule's pattern. */
export interface RuleAdded {
  readonly type: "rule_added";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly path: string;
  readonly tool: string;
  readonly command?: string;
  readonly kind?: RuleKind;
}

export interface RuleRemoved {
  readonly type: "rule_removed";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly path: string;
  readonly tool: string;
  readonly command?: string;
  readonly kind?: RuleKind;
}

/** A spare worktree is being filled, or brought up to date; recorded before anything is done. */
export interface SpareStarted {
  readonly type: "spare_started";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly path: string;
  readonly spare: string;
  readonly token: number;
  readonly worktree: string;
  readonly commit: string;
  readonly before?: string;
}

export interface SpareFilled {
  readonly type: "spare_filled";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly path: string;
  readonly spare: string;
  readonly token: number;
  readonly installed?: string;
  readonly unapproved?: readonly string[];
  readonly note?: string;
  readonly bytes?: number;
}

/** From here on the worktree is that session's for good. */
export interface SpareLeased {
  readonly type: "spare_leased";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly path: string;
  readonly spare: string;
  readonly token: number;
  readonly holder: string;
}

export interface SpareDropped {
  readonly type: "spare_dropped";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly path: string;
  readonly spare: string;
  readonly reason?: string;
}

/** What the session starts from, after the remote was asked. */
export interface BaseResolved {
  readonly type: "base_resolved";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly base: string;
  readonly base_commit: string;
  readonly base_tip?: string;
}

/** The worktree will be made here instead: the spare that was leased is of no use. */
export interface WorktreePlanned {
  readonly type: "worktree_planned";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly worktree: string;
  readonly reason?: string;
}

export interface WorktreeReady {
  readonly type: "worktree_ready";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly worktree: string;
  readonly branch: string;
  readonly base_commit: string;
}

/** Ignored and untracked files that came along from the main checkout. */
export interface FilesCopied {
  readonly type: "files_copied";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly files?: readonly CopiedFile[];
  readonly left_out?: readonly string[];
}

export interface CopiedFile {
  readonly path: string;
  readonly bytes: number;
}

export interface PortsLeased {
  readonly type: "ports_leased";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly ports: Record<string, number>;
}

/** The ports on which the session's processes really listen. */
export interface ListeningChanged {
  readonly type: "listening_changed";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly listening?: readonly Listening[];
}

export interface Listening {
  readonly port: number;
  readonly pid: number;
  readonly process: string;
}

/** One attempt; `origin` is "config" or the package manager that was detected. */
export interface SetupStarted {
  readonly type: "setup_started";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly commands: readonly string[];
  readonly origin?: string;
}

export interface SetupOutput {
  readonly type: "setup_output";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly command: string;
  readonly text: string;
}

/** The attempt's end; `done` are the commands that a retry need not run again. */
export interface SetupFinished {
  readonly type: "setup_finished";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly outcome: SetupOutcome;
  readonly done?: readonly string[];
  readonly failed?: string;
  readonly returncode?: number | null;
  readonly error?: string;
  readonly seconds?: number;
}

export interface TeardownFinished {
  readonly type: "teardown_finished";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly outcome: SetupOutcome;
  readonly failed?: string;
  readonly returncode?: number | null;
  readonly error?: string;
  readonly output?: string;
  readonly seconds?: number;
}

/** A picture of a preview is kept with the session. */
export interface PictureTaken {
  readonly type: "picture_taken";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly picture: string;
  readonly service: string;
  readonly path: string;
  readonly width: number;
  readonly height: number;
  readonly status?: number;
  readonly problems?: readonly string[];
}

/** Recorded before a branch of the data is made: from here on it is ours, and ours to drop. */
export interface DatabaseClaimed {
  readonly type: "database_claimed";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly kind: DatabaseKind;
  readonly name: string;
  readonly place?: string;
}

export interface DatabaseBranched {
  readonly type: "database_branched";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly name: string;
  readonly method?: string;
  readonly seconds?: number;
}

export interface DatabaseDropped {
  readonly type: "database_dropped";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly name: string;
}

/** A program runs in it; told again of the same terminal, it was started anew. */
export interface TerminalOpened {
  readonly type: "terminal_opened";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly terminal: string;
  readonly name: string;
  readonly command: readonly string[];
  readonly pid: number;
  readonly takes?: boolean;
}

/** Renamed, put elsewhere in the list, or made to tell of its bell. */
export interface TerminalChanged {
  readonly type: "terminal_changed";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly terminal: string;
  readonly name: string;
  readonly position: number;
  readonly bell?: boolean;
}

/** As a shell counts it: 128 and the number of the signal, where one ended it. */
export interface TerminalExited {
  readonly type: "terminal_exited";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly terminal: string;
  readonly exit_code: number;
  readonly seconds?: number;
  readonly reason?: string;
}

/** It is on the list no more. */
export interface TerminalClosed {
  readonly type: "terminal_closed";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly terminal: string;
}

/** The session against another, or against its base; no paths: nothing is left of it. */
export interface ConflictChanged {
  readonly type: "conflict_changed";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly other?: string;
  readonly base?: string;
  readonly paths?: readonly Meet[];
  readonly first?: string;
  readonly suggestion?: string;
}

/** A path that two sides changed: they would conflict there, or merely overlap. */
export interface Meet {
  readonly path: string;
  readonly kind: ClashKind;
  readonly reason?: string;
}

/** The branch that the session started from is elsewhere now. */
export interface BaseMoved {
  readonly type: "base_moved";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly base: string;
  readonly commit: string;
  readonly by?: string;
}

/** Recorded before anything is done; nothing but what it names is ever merged. */
export interface MergeStarted {
  readonly type: "merge_started";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly merge: string;
  readonly into: string;
  readonly method: MergeMethod;
  readonly tip: string;
  readonly target: string;
}

/** The commit that the target is to be moved to; `tree` is what the checks ran on. */
export interface MergePrepared {
  readonly type: "merge_prepared";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly merge: string;
  readonly commit: string;
  readonly tree: string;
}

export interface ChecksStarted {
  readonly type: "checks_started";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly merge: string;
  readonly commands: readonly string[];
  readonly tree: string;
}

export interface ChecksReported {
  readonly type: "checks_reported";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly command: string;
  readonly text: string;
}

export interface ChecksFinished {
  readonly type: "checks_finished";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly merge: string;
  readonly tree: string;
  readonly passed: boolean;
  readonly failed?: string;
  readonly error?: string;
  readonly seconds?: number;
}

/** A target that was behind its remote's branch was brought forward to it, before the merge. */
export interface TargetForwarded {
  readonly type: "target_forwarded";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly merge: string;
  readonly into: string;
  readonly before: string;
  readonly commit: string;
  readonly checkout?: string;
}

export interface SessionMerged {
  readonly type: "session_merged";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly merge: string;
  readonly into: string;
  readonly method: MergeMethod;
  readonly tip: string;
  readonly commit: string;
  readonly before: string;
  readonly checkout?: string;
}

/** Nothing was moved. */
export interface MergeFailed {
  readonly type: "merge_failed";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly merge: string;
  readonly error: string;
  readonly hint?: string;
}

/** The base is about to come into the session. */
export interface UpdateStarted {
  readonly type: "update_started";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly base: string;
  readonly onto: string;
  readonly method: UpdateMethod;
}

/** The checkpoint that an abort goes back to. */
export interface UpdateSecured {
  readonly type: "update_secured";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly checkpoint: string;
}

/** It is in; with `conflicts`, the session's agent has them to settle. */
export interface UpdateApplied {
  readonly type: "update_applied";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly base: string;
  readonly onto: string;
  readonly method: UpdateMethod;
  readonly conflicts?: readonly string[];
}

/** The conflicts of it are settled. */
export interface UpdateFinished {
  readonly type: "update_finished";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly onto: string;
}

/** The session is as it was before. */
export interface UpdateAborted {
  readonly type: "update_aborted";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly checkpoint: string;
  readonly base_commit: string;
}

/** The session that this one was stacked on has landed: it stands on what that went into. */
export interface BaseLanded {
  readonly type: "base_landed";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly base: string;
  readonly was: string;
  readonly by: string;
  readonly tip?: string;
  readonly landed?: string;
  readonly moves?: boolean;
  readonly pushes?: boolean;
}

/** Its own commits stand on the new base, or a person was told why not. */
export interface RestackEnded {
  readonly type: "restack_ended";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly moved: boolean;
  readonly pushed?: boolean;
  readonly note?: string;
}

export interface IssueLinked {
  readonly type: "issue_linked";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly issue: Issue;
}

/** A snapshot: what the issue said when the session was made. */
export interface Issue {
  readonly origin: string;
  readonly title: string;
  readonly number?: number;
  readonly key?: string;
  readonly tracker?: string;
  readonly url?: string;
  readonly body?: string;
  readonly author?: string;
  readonly state?: string;
  readonly labels?: readonly string[];
  readonly comments?: readonly IssueComment[];
  readonly left_out?: number;
  readonly fetched_at?: string;
}

export interface IssueComment {
  readonly author?: string;
  readonly body?: string;
  readonly at: string;
}

/** Recorded before git runs: `id` is in the reflog entry of the commit, once it is made. */
export interface CommitStarted {
  readonly type: "commit_started";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly id: string;
  readonly head: string;
  readonly message: string;
  readonly paths?: readonly string[];
  readonly amend?: boolean;
}

export interface CommitMade {
  readonly type: "commit_made";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly id: string;
  readonly commit: string;
  readonly message: string;
  readonly output?: string;
  readonly note?: string;
}

export interface CommitFailed {
  readonly type: "commit_failed";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly id: string;
  readonly error: string;
  readonly output?: string;
}

export interface BranchPushed {
  readonly type: "branch_pushed";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly remote: string;
  readonly branch: string;
  readonly commit: string;
  readonly forced?: boolean;
  readonly output?: string;
}

/** A pull request was opened, or is seen to be different from before. */
export interface PrChanged {
  readonly type: "pr_changed";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly pr: Pr;
}

/** A pull request as it was last seen. */
export interface Pr {
  readonly number: number;
  readonly url: string;
  readonly repo: string;
  readonly state: PrState;
  readonly checks?: ChecksState;
  readonly review?: PrReview;
  readonly title?: string;
  readonly base?: string;
  readonly head?: string;
  readonly landed?: string;
}

export interface ReviewDraftImported {
  readonly type: "review_draft_imported";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly draft: ReviewDraft;
}

/** A remark from the forge that a person may hand to the agent. */
export interface ReviewDraft {
  readonly id: string;
  readonly kind: DraftKind;
  readonly text: string;
  readonly author?: string;
  readonly path?: string;
  readonly line?: number;
  readonly url?: string;
  readonly thread?: string;
  readonly comment?: number;
  readonly remark?: string;
  readonly bot?: boolean;
  readonly ended?: DraftEnd | null;
}

export interface ReviewDraftEnded {
  readonly type: "review_draft_ended";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly draft: string;
  readonly end: DraftEnd;
}

/** How many times what happens to the pull request comes to the agent by itself; None: as the config says. */
export interface WatchChanged {
  readonly type: "watch_changed";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly fix_checks?: number | null;
  readonly send_reviews?: number | null;
}

/** It came to the agent: these drafts, as they were at that commit. */
export interface WatchDelivered {
  readonly type: "watch_delivered";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly reason: WatchReason;
  readonly head: string;
  readonly drafts: readonly string[];
}

/** All rounds are used up; a person was told. */
export interface WatchStopped {
  readonly type: "watch_stopped";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly reason: WatchReason;
  readonly head: string;
}

/** Checks pass again, or a person wants it tried again: rounds are counted from none. */
export interface WatchRenewed {
  readonly type: "watch_renewed";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly reason: WatchReason;
}

/** The issue's tracker was told how far the work is. */
export interface IssueStageAnnounced {
  readonly type: "issue_stage_announced";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly issue: string;
  readonly stage: Stage;
  readonly state?: string;
}

/** It could not be told, and is not tried again before a person says so. */
export interface IssueStageFailed {
  readonly type: "issue_stage_failed";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly issue: string;
  readonly stage: Stage;
  readonly error: string;
}

export interface IssueStageRetried {
  readonly type: "issue_stage_retried";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly issue: string;
}

export interface IssuesProposed {
  readonly type: "issues_proposed";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly proposal: IssuesProposal;
}

/** Issues that an agent would split its work into; a person decides which are made. */
export interface IssuesProposal {
  readonly id: string;
  readonly tracker: string;
  readonly place: string;
  readonly issues: readonly ProposedIssue[];
  readonly made?: readonly MadeIssue[];
}

export interface ProposedIssue {
  readonly title: string;
  readonly body: string;
}

export interface MadeIssue {
  readonly index: number;
  readonly key: string;
  readonly title: string;
  readonly url: string;
}

/** One of a proposal's issues is there. */
export interface ProposedIssueCreated {
  readonly type: "proposed_issue_created";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly proposal: string;
  readonly issue: MadeIssue;
}

export interface PlanProposed {
  readonly type: "plan_proposed";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
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
  readonly snoozed_until: string | null;
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
  readonly rule?: string;
  readonly pattern?: string;
}

export interface PermissionRequested {
  readonly type: "permission_requested";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly item: Attention;
}

export interface QuestionAsked {
  readonly type: "question_asked";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
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
  readonly asked_by?: Asker | null;
  readonly item: Attention;
}

export interface AttentionResolved {
  readonly type: "attention_resolved";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
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
  readonly asked_by?: Asker | null;
  readonly item: string;
}

/** A person does not want to hear of it before `until`; empty: at once again. */
export interface AttentionSnoozed {
  readonly type: "attention_snoozed";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly item: string;
  readonly until: string;
}

/** A person is told of something, in one sentence; recorded before any channel is used. */
export interface PersonNotified {
  readonly type: "person_notified";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly kind: AttentionKind | "failed" | "finished";
  readonly text: string;
  readonly about: string;
  readonly told?: Told;
}

/** A draft as it is now; told again with the same id where a person writes on. */
export interface CommentDrafted {
  readonly type: "comment_drafted";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly comment: string;
  readonly anchor: Anchor;
  readonly text: string;
  readonly suggestion?: string | null;
}

export interface Anchor {
  readonly path?: string;
  readonly side?: Side;
  readonly start?: number;
  readonly end?: number;
  readonly lines?: readonly string[];
  readonly before?: readonly string[];
  readonly after?: readonly string[];
}

export interface CommentDiscarded {
  readonly type: "comment_discarded";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly comment: string;
}

/** Comments became one message to the agent. */
export interface ReviewSent {
  readonly type: "review_sent";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly comments: readonly Standing[];
  readonly message: string;
  readonly tree: string;
  readonly checkpoint: string;
}

/** What a comment stood on when it was sent; it is addressed once that has changed. */
export interface Standing {
  readonly comment: string;
  readonly hunk?: readonly string[];
  readonly blob?: string;
}

export interface CommentResolved {
  readonly type: "comment_resolved";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly comment: string;
}

/** Open again, on what is there now. */
export interface CommentReopened {
  readonly type: "comment_reopened";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly standing: Standing;
}

export interface SuggestionApplied {
  readonly type: "suggestion_applied";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly comment: string;
  readonly checkpoint: string;
}

/** `tree` holds every file as it was last viewed; an empty `blob`: viewed as deleted. */
export interface FileViewed {
  readonly type: "file_viewed";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly path: string;
  readonly blob: string;
  readonly tree: string;
}

export interface FileUnviewed {
  readonly type: "file_unviewed";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly path: string;
  readonly tree: string;
}

/** `tree` is what was judged, kept by the checkpoint. */
export interface VerdictGiven {
  readonly type: "verdict_given";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly verdict: "approved" | "commented";
  readonly tree: string;
  readonly checkpoint: string;
}

/** What was judged is no longer what is there, or a person took the word back. */
export interface VerdictLapsed {
  readonly type: "verdict_lapsed";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly tree?: string;
}

/** A person put a file, or lines of it, back; `checkpoint` holds what was there. */
export interface ChangeReverted {
  readonly type: "change_reverted";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly path: string;
  readonly checkpoint: string;
  readonly lines?: string;
}

/** `asked` is what the job was asked to do: all it needs to begin anew after a death. */
export interface JobStarted {
  readonly type: "job_started";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly job: string;
  readonly kind: string;
  readonly repo?: string;
  readonly asked?: Record<string, unknown>;
}

/** On record before anything of the step is done. */
export interface JobStepStarted {
  readonly type: "job_step_started";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly job: string;
  readonly step: string;
}

/** `noted` is what later steps, or the answer, need of this one. */
export interface JobStepFinished {
  readonly type: "job_step_finished";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly job: string;
  readonly step: string;
  readonly noted?: Record<string, unknown>;
}

/** How far the step is, for people. */
export interface JobReported {
  readonly type: "job_reported";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly job: string;
  readonly text: string;
}

/** It goes on once this item is settled. */
export interface JobPaused {
  readonly type: "job_paused";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly job: string;
  readonly item: string;
}

export interface JobCancelAsked {
  readonly type: "job_cancel_asked";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly job: string;
}

/** A failure says how it is told to people. */
export interface JobEnded {
  readonly type: "job_ended";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly job: string;
  readonly end: "cancelled" | "done" | "failed";
  readonly code?: string;
  readonly error?: string;
  readonly hint?: string;
}

/** It is pinned to `tip`: nothing else of the session ever lands with it. */
export interface CarAdded {
  readonly type: "car_added";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly path: string;
  readonly into: string;
  readonly car: string;
  readonly tip: string;
  readonly method?: MergeMethod;
  readonly via?: "local" | "pr" | "push";
  readonly remote?: string;
  readonly rounds?: number;
  readonly round?: number;
  readonly untested?: boolean;
  readonly by?: "approval" | "person";
}

/** Its branch has moved: it is another car now, at the end. */
export interface CarRequeued {
  readonly type: "car_requeued";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly path: string;
  readonly into: string;
  readonly car: string;
  readonly tip: string;
}

/** What the branch would go to, made on what is ahead of it; nothing new where it is `empty`. */
export interface CarBuilt {
  readonly type: "car_built";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly path: string;
  readonly into: string;
  readonly car: string;
  readonly onto: string;
  readonly commit: string;
  readonly tree: string;
  readonly empty?: boolean;
}

/** It does not go onto what is ahead of it. */
export interface CarConflicted {
  readonly type: "car_conflicted";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly path: string;
  readonly into: string;
  readonly car: string;
  readonly onto: string;
  readonly paths: readonly string[];
  readonly error: string;
}

export interface CarTestStarted {
  readonly type: "car_test_started";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly path: string;
  readonly into: string;
  readonly car: string;
  readonly tree: string;
  readonly commands: readonly string[];
}

/** `attempt` counts the runs on that very tree; `untested`: nothing ran, and a person said that it may land so. */
export interface CarTested {
  readonly type: "car_tested";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly path: string;
  readonly into: string;
  readonly car: string;
  readonly tree: string;
  readonly passed: boolean;
  readonly attempt: number;
  readonly untested?: boolean;
  readonly error?: string;
  readonly hint?: string;
  readonly tail?: string;
  readonly seconds?: number;
}

/** On record before the branch is moved from `onto` to `commit`. */
export interface CarLandingStarted {
  readonly type: "car_landing_started";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly path: string;
  readonly into: string;
  readonly car: string;
  readonly onto: string;
  readonly commit: string;
}

/** `already`: the branch had all of it before, and was not moved. */
export interface CarLanded {
  readonly type: "car_landed";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly path: string;
  readonly into: string;
  readonly car: string;
  readonly commit: string;
  readonly before: string;
  readonly already?: boolean;
  readonly note?: string;
}

/** It could not go on for a reason that is not its own; it is tried again. */
export interface CarHeld {
  readonly type: "car_held";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly path: string;
  readonly into: string;
  readonly car: string;
  readonly error: string;
  readonly hint?: string;
  readonly unmoved?: boolean;
}

/** Alone; with `mending` its agent has it, and it rejoins by itself. */
export interface CarLeft {
  readonly type: "car_left";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly path: string;
  readonly into: string;
  readonly car: string;
  readonly why: "conflicted" | "failed" | "removed";
  readonly error?: string;
  readonly hint?: string;
  readonly mending?: boolean;
}

/** The agent of a car that left has been told. */
export interface MendAsked {
  readonly type: "mend_asked";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly path: string;
  readonly into: string;
  readonly car: string;
}

export interface TrainOrdered {
  readonly type: "train_ordered";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly path: string;
  readonly into: string;
  readonly cars: readonly string[];
}

/** Nothing new is begun; empty where a person wants it so, else why it cannot go on. */
export interface TrainPaused {
  readonly type: "train_paused";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly path: string;
  readonly into: string;
  readonly reason?: string;
  readonly hint?: string;
}

export interface TrainResumed {
  readonly type: "train_resumed";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly path: string;
  readonly into: string;
}

/** It is to run, anew if it runs already. */
export interface ServiceWanted {
  readonly type: "service_wanted";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly name: string;
  readonly ask: string;
  readonly spec: ServiceSpec;
}

export interface ServiceSpec {
  readonly name: string;
  readonly command: string;
  readonly port_name?: string;
  readonly port?: number;
  readonly health?: string;
  readonly within?: number;
  readonly autostart?: boolean;
  readonly depends_on?: readonly string[];
  readonly restart?: "always" | "never" | "on-failure";
  readonly origin?: string;
}

/** It is to stop. */
export interface ServiceUnwanted {
  readonly type: "service_unwanted";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly name: string;
  readonly ask: string;
}

export interface ServiceStarted {
  readonly type: "service_started";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly name: string;
  readonly ask: string;
  readonly pid: number;
}

export interface ServiceHealthy {
  readonly type: "service_healthy";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly name: string;
  readonly ask: string;
}

export interface ServiceUnhealthy {
  readonly type: "service_unhealthy";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly name: string;
  readonly ask: string;
  readonly reason?: string;
}

/** It runs no more, or never did. */
export interface ServiceExited {
  readonly type: "service_exited";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly asked_by?: Asker | null;
  readonly name: string;
  readonly ask: string;
  readonly end: ServiceEnd;
  readonly exit_code?: number | null;
  readonly reason?: string;
  readonly tail?: string;
  readonly again_in?: number | null;
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

/** One file against the base, for those who look at the session. */
export interface Patched {
  readonly type: "patched";
  readonly session: string;
  readonly live: true;
  readonly turn: number;
  readonly conversation: string;
  readonly base: string;
  readonly file: FileDiff;
  readonly patch: string;
  readonly cut: boolean;
  readonly generated: boolean;
  readonly number: number;
}

export interface FileDiff {
  readonly path: string;
  readonly old_path: string | null;
  readonly status: FileStatus;
  readonly added: number;
  readonly removed: number;
  readonly binary: boolean;
  readonly old_mode: string | null;
  readonly new_mode: string | null;
  readonly omitted: boolean;
  readonly old_blob: string;
  readonly new_blob: string;
}

export interface AgentView {
  readonly name: string;
  readonly kind: AgentKind;
  readonly installed: boolean;
  readonly version: string;
  readonly logged_in: boolean | null;
  readonly models: readonly string[];
  readonly modes: readonly Mode[];
  readonly hint: string;
  readonly box: BoxLevel;
  readonly box_note: string;
}

export interface Snoozing {
  readonly minutes?: number;
}

export interface ConfigView {
  readonly path: string;
  readonly text: string;
  readonly digest: string;
  readonly problem: string;
  readonly fields: readonly Field[];
}

export interface Field {
  readonly key: string;
  readonly kind: FieldKind;
  readonly value: unknown;
  readonly default: unknown;
  readonly given: boolean;
  readonly optional: boolean;
  readonly choices: readonly string[];
  readonly names: readonly string[];
  readonly says: string;
}

export interface ConfigText {
  readonly text: string;
  readonly digest: string;
}

export interface Setting {
  readonly key: string;
  readonly value: string | number | number | boolean | readonly string[] | Record<string, string> | null;
  readonly digest: string;
}

export interface ConflictView {
  readonly a: string;
  readonly b: string;
  readonly base: boolean;
  readonly paths: readonly Clash[];
  readonly first: string;
  readonly suggestion: string;
}

/** One path on which two sides meet. */
export interface Clash {
  readonly path: string;
  readonly kind: ClashKind;
  readonly reason: string;
  readonly lines: Lines;
}

export interface Lines {
  readonly a: readonly (readonly [number, number])[];
  readonly b: readonly (readonly [number, number])[];
}

/** What a session has in conflict with another, or with its base, side by side. */
export interface ConflictHunks {
  readonly a: string;
  readonly b: string;
  readonly base: boolean;
  readonly paths: readonly PathHunks[];
  readonly more: number;
}

export interface PathHunks {
  readonly path: string;
  readonly reason: string;
  readonly note: string;
  readonly hunks: readonly ConflictHunk[];
  readonly more: number;
}

/** One place that both sides changed; `base` is how it was. */
export interface ConflictHunk {
  readonly base: HunkPart;
  readonly a: HunkPart;
  readonly b: HunkPart;
}

/** Some lines of one version of a file. */
export interface HunkPart {
  readonly start: number;
  readonly lines: readonly string[];
  readonly changed: readonly [number, number];
  readonly cut: boolean;
}

/** A session's place in the order in which the fewest have to be updated first. */
export interface LandingTurn {
  readonly session: string;
  readonly after: readonly string[];
  readonly stuck: boolean;
}

export interface DatabaseView {
  readonly session: string;
  readonly slug: string;
  readonly kind: DatabaseKind;
  readonly name: string;
  readonly place: string;
  readonly ready: boolean;
}

export interface BranchName {
  readonly name: string;
}

export interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
  readonly fix: string;
}

export interface Mending {
  readonly fix?: boolean;
}

export interface Down {
  readonly all?: boolean;
}

export interface HubEnded {
  readonly down: boolean;
}

/** A link's code; or the key of a page that was let in before, first alone, then with what the hub asked and the answer. */
export interface Code {
  readonly code?: string;
  readonly key?: string;
  readonly nonce?: string;
  readonly signature?: string;
}

/** The page's token; or else what it has to sign first, together with its own address. */
export interface Exchanged {
  readonly token: string;
  readonly nonce: string;
}

export interface IssueView {
  readonly number: number;
  readonly key: string;
  readonly ref: string;
  readonly tracker: string;
  readonly origin: string;
  readonly title: string;
  readonly url: string;
  readonly state: string;
  readonly author: string;
  readonly labels: readonly string[];
  readonly comments: number;
  readonly assignee: string;
  readonly sessions: readonly string[];
  readonly stage: Stage | "";
}

/** `step` is the one that is being done; `progress`, how far it is. */
export interface JobView {
  readonly id: string;
  readonly kind: string;
  readonly session: string;
  readonly title: string;
  readonly repo: string;
  readonly state: JobState;
  readonly step: string;
  readonly progress: string;
  readonly started_at: string;
  readonly ended_at: string;
  readonly error: string;
  readonly hint: string;
}

export interface Link {
  readonly url: string;
  readonly others: readonly string[];
  readonly named: string;
}

/** One git command that was run. */
export interface Trace {
  readonly at: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly seconds: number;
  readonly returncode: number;
}

/** What a first visitor should know of where the hub runs. */
export interface Machine {
  readonly git: GitVersion;
}

export interface GitVersion {
  readonly ok: boolean;
  readonly detail: string;
  readonly fix: string;
}

export interface Delivered {
  readonly channel: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** The public half of a page's own key: a point of P-256, raw, in base64url. */
export interface PageKey {
  readonly key: string;
}

/** A dialogue that an agent keeps for a directory and could go on with. */
export interface PastConversation {
  readonly id: string;
  readonly title: string;
  readonly messages: number | null;
  readonly updated_at: string;
  readonly agent: string;
  readonly directory: string;
}

export interface RepoView {
  readonly path: string;
  readonly trusted: boolean;
  readonly default_base: string;
  readonly spares: readonly Spare[];
}

/** A worktree that waits for its one session. */
export interface Spare {
  readonly id: string;
  readonly worktree: string;
  readonly commit: string;
  readonly token: number;
  readonly before: string;
  readonly ready: boolean;
  readonly installed: string;
  readonly unapproved: readonly string[];
  readonly note: string;
  readonly bytes: number;
}

export interface RepoPath {
  readonly path: string;
}

/** What a repository brings along; `digest` names exactly this content. */
export interface Bringing {
  readonly digest: string;
  readonly pieces: readonly Runnable[];
  readonly new: readonly string[];
  readonly remotes: Record<string, string>;
  readonly moved: readonly string[];
}

export interface Runnable {
  readonly path: string;
  readonly digest: string;
  readonly text: string;
  readonly about: string;
  readonly size: number;
}

export interface Trusting {
  readonly path: string;
  readonly digest?: string;
}

export interface RuleView {
  readonly id: string;
  readonly tool: string;
  readonly kind: RuleKind;
  readonly pattern: string;
  readonly repo: string;
  readonly session: string;
}

export interface NewRule {
  readonly tool: string;
  readonly kind?: RuleKind;
  readonly pattern?: string;
  readonly repo?: string;
  readonly session?: string;
}

export interface RuleName {
  readonly id: string;
}

export interface ServiceView {
  readonly session: string;
  readonly slug: string;
  readonly name: string;
  readonly state: ServiceState;
  readonly port: number | null;
  readonly url: string;
  readonly pid: number | null;
  readonly exit_code: number | null;
  readonly reason: string;
  readonly tail: string;
  readonly since: string;
  readonly starts: number;
  readonly command: string;
  readonly origin: string;
  readonly autostart: boolean;
  readonly depends_on: readonly string[];
  readonly restart: "always" | "never" | "on-failure";
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
  readonly effort: string;
  readonly mode: Mode;
  readonly status: Status;
  readonly reason: string;
  readonly attention: readonly Attention[];
  readonly unread: boolean;
  readonly review: Review;
  readonly turn: number;
  readonly cost_usd: number;
  readonly cost_estimated: boolean;
  readonly budget: BudgetView | null;
  readonly box: BoxLevel;
  readonly box_detail: BoxDetail;
  readonly tokens: Tokens;
  readonly context: Context | null;
  readonly doing: Call | null;
  readonly todos: readonly Todo[];
  readonly commands: readonly AgentCommand[];
  readonly conversations: readonly ConversationView[];
  readonly quiet_since: string | null;
  readonly added: number;
  readonly removed: number;
  readonly files_changed: number;
  readonly database: DatabaseBranch | null;
  readonly ports: Record<string, number>;
  readonly previews: Record<string, string>;
  readonly listening: readonly Listening[];
  readonly terminals: readonly TerminalView[];
  readonly services: readonly ServiceLink[];
  readonly setup: SetupState;
  readonly progress: string;
  readonly in_place: boolean;
  readonly adopted: boolean;
  readonly pr: Pr | null;
  readonly issues: readonly IssueLink[];
  readonly created_at: string;
  readonly updated_at: string;
  readonly seq: number;
  readonly error: string | null;
  readonly hint: string;
  readonly follow_ups: readonly Message[];
  readonly taken: TakenOver | null;
  readonly agent_pid: number;
  readonly agent_session: string;
  readonly limited: boolean;
  readonly limited_note: string;
}

/** A session's own, as it was given and raised since. */
export interface BudgetView {
  readonly usd: number | null;
  readonly minutes: number | null;
}

/** What holds around the agent that runs or ran last; before the first, what would. */
export interface BoxDetail {
  readonly level: BoxLevel;
  readonly by: BoxMeans;
  readonly network: Network;
  readonly wanted: BoxLevel;
  readonly wanted_network: Network;
  readonly own: BoxLevel | null;
  readonly own_network: Network | null;
  readonly reason: string;
  readonly fix: string;
  readonly promise: string;
  readonly pending: boolean;
}

export interface Tokens {
  readonly in: number;
  readonly out: number;
}

/** Tokens of the model's window. */
export interface Context {
  readonly used: number;
  readonly limit: number;
}

/** A tool that was called, and the beginnings of the words that it was given. */
export interface Call {
  readonly tool: string;
  readonly input: Record<string, string>;
}

export interface ConversationView {
  readonly id: string;
  readonly agent: string;
  readonly kind: string;
  readonly writes: boolean;
  readonly status: ConversationStatus;
  readonly error: string;
}

/** The session's own branch of the data; one that is not ready was claimed and not finished. */
export interface DatabaseBranch {
  readonly kind: DatabaseKind;
  readonly name: string;
  readonly place: string;
  readonly ready: boolean;
}

export interface TerminalView {
  readonly name: string;
  readonly command: readonly string[];
  readonly title: string;
  readonly pid: number;
  readonly rows: number;
  readonly columns: number;
  readonly viewers: number;
  readonly exit_code: number | null;
  readonly started_at: string;
  readonly seconds: number | null;
  readonly position: number;
  readonly bell: boolean;
}

/** A service that was started, in brief. */
export interface ServiceLink {
  readonly name: string;
  readonly state: ServiceState;
  readonly port: number | null;
  readonly url: string;
  readonly reason: string;
}

export interface IssueLink {
  readonly origin: string;
  readonly number: number;
  readonly title: string;
  readonly url: string;
  readonly key: string;
  readonly tracker: string;
}

/** Words that wait for the agent; `model` and `effort` hold for them alone. */
export interface Message {
  readonly id: string;
  readonly text: string;
  readonly model?: string;
  readonly effort?: string;
  readonly attachments?: readonly Attachment[];
  readonly resumes?: boolean;
}

/** The agent's own program has the dialogue, in one of the session's terminals. */
export interface TakenOver {
  readonly terminal: string;
  readonly name: string;
  readonly by?: string;
  readonly at: string;
}

export interface New {
  readonly repo: string;
  readonly text?: string;
  readonly name?: string;
  readonly base?: string;
  readonly branch?: string;
  readonly in_place?: boolean;
  readonly agent?: string;
  readonly model?: string;
  readonly effort?: Effort | null;
  readonly mode?: Mode | null;
  readonly budget_usd?: number | null;
  readonly budget_minutes?: number | null;
  readonly box?: BoxLevel | null;
  readonly network?: Network | null;
  readonly attachments?: readonly Given[];
  readonly resume?: string;
  readonly start?: boolean;
  readonly detach?: boolean;
  readonly issue?: number | string;
  readonly item?: Item | null;
}

export interface Given {
  readonly name: string;
  readonly media_type: string;
  readonly data: string;
}

/** A task out of a file. */
export interface Item {
  readonly origin: string;
  readonly title: string;
  readonly text: string;
}

export interface NewView {
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
  readonly effort: string;
  readonly mode: Mode;
  readonly status: Status;
  readonly reason: string;
  readonly attention: readonly Attention[];
  readonly unread: boolean;
  readonly review: Review;
  readonly turn: number;
  readonly cost_usd: number;
  readonly cost_estimated: boolean;
  readonly budget: BudgetView | null;
  readonly box: BoxLevel;
  readonly box_detail: BoxDetail;
  readonly tokens: Tokens;
  readonly context: Context | null;
  readonly doing: Call | null;
  readonly todos: readonly Todo[];
  readonly commands: readonly AgentCommand[];
  readonly conversations: readonly ConversationView[];
  readonly quiet_since: string | null;
  readonly added: number;
  readonly removed: number;
  readonly files_changed: number;
  readonly database: DatabaseBranch | null;
  readonly ports: Record<string, number>;
  readonly previews: Record<string, string>;
  readonly listening: readonly Listening[];
  readonly terminals: readonly TerminalView[];
  readonly services: readonly ServiceLink[];
  readonly setup: SetupState;
  readonly progress: string;
  readonly in_place: boolean;
  readonly adopted: boolean;
  readonly pr: Pr | null;
  readonly issues: readonly IssueLink[];
  readonly created_at: string;
  readonly updated_at: string;
  readonly seq: number;
  readonly error: string | null;
  readonly hint: string;
  readonly follow_ups: readonly Message[];
  readonly taken: TakenOver | null;
  readonly agent_pid: number;
  readonly agent_session: string;
  readonly limited: boolean;
  readonly limited_note: string;
  readonly notice: string;
}

export interface Adopt {
  readonly path: string;
  readonly resume?: string;
  readonly name?: string;
  readonly agent?: string;
  readonly model?: string;
  readonly mode?: Mode | null;
}

export interface AdoptedView {
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
  readonly effort: string;
  readonly mode: Mode;
  readonly status: Status;
  readonly reason: string;
  readonly attention: readonly Attention[];
  readonly unread: boolean;
  readonly review: Review;
  readonly turn: number;
  readonly cost_usd: number;
  readonly cost_estimated: boolean;
  readonly budget: BudgetView | null;
  readonly box: BoxLevel;
  readonly box_detail: BoxDetail;
  readonly tokens: Tokens;
  readonly context: Context | null;
  readonly doing: Call | null;
  readonly todos: readonly Todo[];
  readonly commands: readonly AgentCommand[];
  readonly conversations: readonly ConversationView[];
  readonly quiet_since: string | null;
  readonly added: number;
  readonly removed: number;
  readonly files_changed: number;
  readonly database: DatabaseBranch | null;
  readonly ports: Record<string, number>;
  readonly previews: Record<string, string>;
  readonly listening: readonly Listening[];
  readonly terminals: readonly TerminalView[];
  readonly services: readonly ServiceLink[];
  readonly setup: SetupState;
  readonly progress: string;
  readonly in_place: boolean;
  readonly adopted: boolean;
  readonly pr: Pr | null;
  readonly issues: readonly IssueLink[];
  readonly created_at: string;
  readonly updated_at: string;
  readonly seq: number;
  readonly error: string | null;
  readonly hint: string;
  readonly follow_ups: readonly Message[];
  readonly taken: TakenOver | null;
  readonly agent_pid: number;
  readonly agent_session: string;
  readonly limited: boolean;
  readonly limited_note: string;
  readonly past: readonly PastConversation[];
}

export interface Settling {
  readonly options?: readonly string[];
  readonly text?: string;
  readonly item?: string;
  readonly rule?: RuleKind | null;
  readonly pattern?: string;
}

export interface ArchiveRequest {
  readonly dry_run?: boolean;
}

/** What would be kept and lost, and what stands in the way. */
export interface Plan {
  readonly session: string;
  readonly safe: boolean;
  readonly kept: readonly Kept[];
  readonly lost: readonly Lost[];
  readonly blocked_by: readonly string[];
  readonly branch_tip: string;
  readonly branch_goes: boolean;
}

export interface Kept {
  readonly what: string;
  readonly where: string;
  readonly bytes: number;
}

export interface Lost {
  readonly what: string;
  readonly bytes: number;
}

export interface AuditLine {
  readonly at: string;
  readonly turn: number;
  readonly by: string;
  readonly decision: string;
  readonly tool: string;
  readonly what: string;
  readonly rule: string;
  readonly conversation: string;
  readonly asked_by: Asker | null;
}

/** A base as it is now, or a merge's target. */
export interface BaseView {
  readonly name: string;
  readonly branch: string;
  readonly local: string;
  readonly tracking: string;
  readonly upstream: string;
  readonly relation: BaseRelation;
  readonly ahead: number;
  readonly behind: number;
  readonly tip: string;
  readonly fetched_at: string;
  readonly error: string;
  readonly words: string;
}

/** None: as the repository or the user has it; what is left out stays as it is. */
export interface BoxChoice {
  readonly level?: BoxLevel | null;
  readonly network?: Network | null;
}

/** None: as configured; what is left out stays as it is. */
export interface BudgetChoice {
  readonly usd?: number | null;
  readonly minutes?: number | null;
}

export interface CheckpointView {
  readonly id: string;
  readonly turn: number;
  readonly at: string;
  readonly commit: string;
}

export interface Proposal {
  readonly message: string;
  readonly files: readonly string[];
  readonly working: boolean;
  readonly by_agent: boolean;
  readonly note: string;
}

export interface Commit {
  readonly message?: string;
  readonly paths?: readonly string[];
  readonly amend?: boolean;
  readonly anyway?: boolean;
}

export interface Committed {
  readonly session: string;
  readonly commit: string;
  readonly message: string;
  readonly output: string;
  readonly note: string;
}

/** For a message in the agent's words, about these paths or everything. */
export interface Wish {
  readonly paths?: readonly string[];
}

export interface Opening {
  readonly text: string;
  readonly agent?: string;
  readonly model?: string;
  readonly writes?: boolean;
  readonly conversation?: string;
  readonly wait?: boolean;
}

export interface Answered {
  readonly id: string;
  readonly agent: string;
  readonly kind: string;
  readonly writes: boolean;
  readonly status: ConversationStatus;
  readonly error: string;
  readonly answer: string;
}

export interface Diff {
  readonly files: readonly FileDiff[];
  readonly patch: string;
}

export interface EffortChoice {
  readonly effort?: Effort | null;
}

export interface FileList {
  readonly paths: readonly string[];
  readonly more: boolean;
}

export interface FileView {
  readonly path: string;
  readonly kind: FileKind;
  readonly bytes: number;
  readonly text: string;
  readonly cut: boolean;
  readonly media_type: string;
  readonly data: string;
}

export interface Text {
  readonly text: string;
}

export interface Forking {
  readonly checkpoint?: string;
}

export interface Landing {
  readonly issues?: readonly Issue[];
  readonly committing?: CommitUnderWay | null;
  readonly commit?: LastCommit | null;
  readonly pushed?: string;
  readonly pr?: Pr | null;
  readonly drafts?: readonly ReviewDraft[];
  readonly watch?: Watch;
}

/** A commit that is on record as begun, and not yet as ended. */
export interface CommitUnderWay {
  readonly id: string;
  readonly head: string;
  readonly message: string;
  readonly paths?: readonly string[];
  readonly amend?: boolean;
}

export interface LastCommit {
  readonly id: string;
  readonly commit: string;
  readonly message: string;
}

/** What of the pull request came to the agent by itself. */
export interface Watch {
  readonly fix_checks?: number | null;
  readonly send_reviews?: number | null;
  readonly rounds?: number;
  readonly review_rounds?: number;
  readonly sent?: readonly string[];
  readonly stopped?: string;
  readonly reviews_stopped?: boolean;
}

/** How a session stands to its base, and where its work can go. */
export interface LandingWays {
  readonly session: string;
  readonly forge: string;
  readonly base: BaseView;
  readonly head: string;
  readonly uncommitted: number;
  readonly at_work: boolean;
  readonly incoming: readonly string[];
  readonly outgoing: number;
  readonly update: OpenUpdate | null;
  readonly merged: LastMerge | null;
}

/** The base on its way into a session, or its conflicts there. */
export interface OpenUpdate {
  readonly base: string;
  readonly method: UpdateMethod;
  readonly conflicts: readonly string[];
}

export interface LastMerge {
  readonly into: string;
  readonly commit: string;
  readonly tip: string;
  readonly at: string;
}

export interface Merging {
  readonly into?: string;
  readonly method?: MergeMethod;
  readonly dry_run?: boolean;
  readonly forward?: boolean;
  readonly message?: string;
}

export interface MergeView {
  readonly session: string;
  readonly into: string;
  readonly method: MergeMethod;
  readonly commits: readonly string[];
  readonly before: string;
  readonly commit: string;
  readonly checks: readonly string[];
  readonly checkout: string;
  readonly forwarded: string;
  readonly base: BaseView | null;
  readonly dry_run: boolean;
  readonly message: string;
  readonly already: boolean;
}

export interface ModeChoice {
  readonly mode: Mode;
}

export interface ModelChoice {
  readonly model: string;
}

export interface OpenPath {
  readonly path?: string;
  readonly line?: number;
}

export interface Opened {
  readonly argv: readonly string[];
}

/** What is to be seen on a picture; nothing where the page did not tell. */
export interface PictureElements {
  readonly elements: readonly ElementView[];
}

/** Its box is what is seen of it, in pixels of the picture. */
export interface ElementView {
  readonly selector: string;
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface PrStatus {
  readonly session: string;
  readonly pr: Pr;
  readonly mergeable: string;
  readonly stamp: string;
  readonly reviews: readonly PrReviewView[];
  readonly threads: readonly ThreadView[];
  readonly checks: readonly CheckView[];
  readonly drafts: readonly ReviewDraft[];
  readonly comments: readonly PrCommentView[];
  readonly watch: WatchView | null;
}

export interface PrReviewView {
  readonly author: string;
  readonly state: string;
  readonly text: string;
  readonly url: string;
  readonly bot: boolean;
  readonly id: string;
}

export interface ThreadView {
  readonly id: string;
  readonly path: string;
  readonly line: number;
  readonly resolved: boolean;
  readonly outdated: boolean;
  readonly comment: number;
  readonly url: string;
  readonly comments: readonly IssueComment[];
  readonly bot: boolean;
}

export interface CheckView {
  readonly id: number;
  readonly name: string;
  readonly state: "failed" | "passed" | "running" | "skipped";
  readonly url: string;
  readonly summary: string;
  readonly steps: readonly FailedStep[];
}

export interface FailedStep {
  readonly name: string;
  readonly log: string;
}

/** What was said about the whole, in no review. */
export interface PrCommentView {
  readonly id: number;
  readonly author: string;
  readonly text: string;
  readonly url: string;
  readonly at: string;
  readonly bot: boolean;
}

/** What comes to the agent by itself. */
export interface WatchView {
  readonly fix_checks: number;
  readonly send_reviews: number;
  readonly rounds: number;
  readonly review_rounds: number;
  readonly stopped: boolean;
}

export interface OpenPr {
  readonly title?: string;
  readonly body?: string | null;
  readonly base?: string;
  readonly draft?: boolean | null;
  readonly reviewers?: readonly string[];
  readonly labels?: readonly string[];
  readonly accept?: readonly string[];
  readonly check?: boolean;
  readonly again?: boolean;
  readonly template?: string;
}

export interface PrOpened {
  readonly session: string;
  readonly pr: Pr;
  readonly created: boolean;
  readonly forced: boolean;
  readonly output: string;
  readonly notes: readonly string[];
}

export interface DraftAction {
  readonly draft: string;
  readonly action: "dismiss" | "reply" | "resolve" | "send";
  readonly text?: string;
}

export interface MergePr {
  readonly method?: MergeMethod | null;
}

export interface PrMerged {
  readonly session: string;
  readonly pr: Pr;
  readonly commit: string;
  readonly method: string;
  readonly already: boolean;
}

/** What `pr` would do. */
export interface PrPlan {
  readonly title: string;
  readonly body: string;
  readonly base: string;
  readonly repo: string;
  readonly commits: number;
  readonly findings: readonly ScanFinding[];
  readonly uncommitted: number;
  readonly existing: Pr | null;
  readonly bases: readonly string[];
  readonly templates: readonly string[];
  readonly template: string;
  readonly labels: readonly string[];
  readonly reviewers: readonly string[];
  readonly checks: readonly string[];
  readonly stacked: string;
  readonly existing_body: string;
  readonly notes: readonly string[];
}

/** What a scan finds that must not leave the machine unseen. */
export interface ScanFinding {
  readonly id: string;
  readonly kind: FindingKind;
  readonly path: string;
  readonly line: number;
  readonly detail: string;
}

/** For this session alone: how many times; 0: not at all, -1: as the config says, null: as it was. */
export interface WatchRequest {
  readonly fix_checks?: number | null;
  readonly send_reviews?: number | null;
}

/** Issues that a session's work is to be split into. */
export interface Proposing {
  readonly issues: readonly ProposedIssue[];
  readonly tracker?: string;
}

export interface Title {
  readonly title: string;
}

/** `reviewed` is the checkpoint of the last verdict or message. */
export interface ReviewView {
  readonly session: string;
  readonly verdict: Review;
  readonly reviewed: string;
  readonly pending: number;
  readonly comments: readonly CommentView[];
}

/** `start` and `end` are where the lines are now; outdated: they are nowhere any more. */
export interface CommentView {
  readonly id: string;
  readonly path: string;
  readonly side: Side;
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
  readonly text: string;
  readonly suggestion: string | null;
  readonly state: CommentState;
  readonly pending: boolean;
  readonly outdated: boolean;
  readonly answered: boolean;
  readonly addressed: boolean;
  readonly reply: string;
  readonly at: string;
  readonly sent: string;
}

/** A draft, new or, by the `id` of one that is there, changed. */
export interface Drafting {
  readonly text: string;
  readonly id?: string;
  readonly path?: string;
  readonly side?: Side;
  readonly start?: number;
  readonly end?: number;
  readonly lines?: readonly string[];
  readonly suggestion?: string | null;
}

/** A file's text, or an image as base64 with its media type; neither for other binary files. */
export interface Contents {
  readonly path: string;
  readonly side: Side;
  readonly bytes: number;
  readonly text: string | null;
  readonly media: string;
  readonly data: string;
}

/** `tree` is all that the worktree holds now; a verdict is given on it. */
export interface Listing {
  readonly against: string;
  readonly tree: string;
  readonly files: readonly ReviewFile[];
  readonly patch: string;
  readonly more: number;
}

export interface ReviewFile {
  readonly path: string;
  readonly old_path: string | null;
  readonly status: FileStatus;
  readonly added: number;
  readonly removed: number;
  readonly binary: boolean;
  readonly old_mode: string | null;
  readonly new_mode: string | null;
  readonly omitted: boolean;
  readonly old_blob: string;
  readonly new_blob: string;
  readonly generated: boolean;
  readonly viewed: Viewed;
}

/** `blob` is the content that the person saw, empty for a deleted file; no hunk: all of it. */
export interface Reverting {
  readonly path: string;
  readonly blob?: string;
  readonly old_path?: string;
  readonly against?: string;
  readonly hunk?: Hunk | null;
}

/** The lines that a hunk's head names; with a count of 0, the place after that line. */
export interface Hunk {
  readonly old_start: number;
  readonly old_count: number;
  readonly new_start: number;
  readonly new_count: number;
}

export interface Reverted {
  readonly path: string;
  readonly checkpoint: string;
}

/** Words before the comments; `comments` names some, none means all that are pending. */
export interface Sending {
  readonly text?: string;
  readonly comments?: readonly string[];
  readonly follow_up?: boolean;
}

export interface SentReview {
  readonly session: string;
  readonly message: string;
  readonly comments: readonly string[];
  readonly follow_up: boolean;
}

/** `tree` is what the person has seen; "none" takes an earlier verdict back. */
export interface Judging {
  readonly verdict: Review;
  readonly tree?: string;
}

/** `blob` is the content that the person saw; empty for a file that is deleted. */
export interface Viewing {
  readonly path: string;
  readonly blob?: string;
  readonly viewed?: boolean;
}

export interface ViewedFile {
  readonly path: string;
  readonly blob: string;
  readonly viewed: boolean;
}

export interface RewindRequest {
  readonly checkpoint: string;
}

export interface Removing {
  readonly yes?: boolean;
  readonly dry_run?: boolean;
}

/** What is said; `model` and `effort` hold for this message only. */
export interface Words {
  readonly text: string;
  readonly follow_up?: boolean;
  readonly model?: string;
  readonly effort?: Effort | null;
  readonly attachments?: readonly Given[];
}

export interface Said {
  readonly session: string;
  readonly follow_up: boolean;
}

export interface ServiceChoice {
  readonly name?: string;
}

export interface ServiceLogView {
  readonly session: string;
  readonly name: string;
  readonly state: ServiceState;
  readonly begin: number;
  readonly next: number;
  readonly text: string;
}

export interface Shooting {
  readonly service?: string;
  readonly path?: string;
  readonly width?: number;
  readonly height?: number;
  readonly wait?: number;
  readonly at: readonly [number, number] | null;
}

export interface PictureView {
  readonly path: string;
  readonly picture: string;
  readonly service: string;
  readonly url: string;
  readonly status: number;
  readonly width: number;
  readonly height: number;
  readonly problems: readonly string[];
  readonly quiet: boolean;
  readonly element: ElementView | null;
  readonly element_path: string;
}

/** The size in which the agent's own program begins. */
export interface TakeRequest {
  readonly rows?: number;
  readonly columns?: number;
}

export interface TerminalOpening {
  readonly name?: string;
  readonly command?: readonly string[];
  readonly rows?: number;
  readonly columns?: number;
}

export interface TerminalChange {
  readonly name?: string | null;
  readonly position?: number | null;
  readonly bell?: boolean | null;
}

export interface UpdateRequest {
  readonly method?: UpdateMethod;
  readonly abort?: boolean;
}

export interface UpdateView {
  readonly session: string;
  readonly base: string;
  readonly commit: string;
  readonly conflicts: readonly string[];
  readonly standing: BaseView | null;
  readonly already: boolean;
  readonly aborted: boolean;
}

export interface HubStatus {
  readonly url: string;
  readonly pid: number;
  readonly version: string;
  readonly sessions: Record<string, number>;
  readonly limits: Record<string, number>;
  readonly unread: number;
  readonly home: string;
  readonly last_seq: number;
  readonly problem: string;
  readonly hint: string;
  readonly faults: number;
  readonly box: BoxLevel;
  readonly box_detail: BoxDetail | null;
}

/** Opens the socket of events once. */
export interface Ticket {
  readonly ticket: string;
}

/** Where issues of a repository are kept. */
export interface TrackerView {
  readonly name: string;
  readonly kind: "forge" | "gitea" | "github" | "gitlab" | "jira" | "linear" | "tasks";
  readonly project: string;
  readonly write: boolean;
}

export interface TrainView {
  readonly repo: string;
  readonly into: string;
  readonly via: "local" | "pr" | "push";
  readonly paused: boolean;
  readonly reason: string;
  readonly hint: string;
  readonly target: string;
  readonly moved_at: string;
  readonly moved_by: string;
  readonly window: number;
  readonly cars: readonly CarView[];
  readonly left: readonly CarView[];
}

export interface CarView {
  readonly car: string;
  readonly session: string;
  readonly slug: string;
  readonly title: string;
  readonly repo: string;
  readonly into: string;
  readonly method: MergeMethod;
  readonly via: "local" | "pr" | "push";
  readonly position: number;
  readonly state: "conflicted" | "failed" | "landed" | "removed" | "tested" | "testing" | "waiting";
  readonly commit: string;
  readonly tip: string;
  readonly onto: string;
  readonly ahead: readonly string[];
  readonly error: string;
  readonly hint: string;
  readonly note: string;
  readonly paths: readonly string[];
  readonly round: number;
  readonly rounds: number;
  readonly mending: boolean;
  readonly checks: readonly string[];
  readonly progress: string;
  readonly started_at: string;
  readonly expected: number;
  readonly added_at: string;
  readonly ended_at: string;
}

export interface Boarding {
  readonly sessions: readonly string[];
  readonly into?: string;
  readonly method?: MergeMethod | null;
  readonly via?: "local" | "pr" | "push" | null;
  readonly mend?: number | null;
  readonly untested?: boolean;
}

export interface Moving {
  readonly session: string;
  readonly position: number;
}

export interface Lane {
  readonly repo: string;
  readonly into?: string;
}

export interface Leaving {
  readonly sessions: readonly string[];
}

/** One day's use of one model in one session; sums of cells are all that usage is. */
export interface Cell {
  readonly day: string;
  readonly session: string;
  readonly title: string;
  readonly repo: string;
  readonly agent: string;
  readonly model: string;
  readonly turns: number;
  readonly tokens_in: number;
  readonly tokens_out: number;
  readonly cost_usd: number;
  readonly working_seconds: number;
  readonly waiting_seconds: number;
}

export interface Waiting {
  readonly sessions: readonly string[];
  readonly for?: Goal;
  readonly timeout?: number | null;
}

export interface Waited {
  readonly outcome: WaitOutcome;
  readonly sessions: readonly SessionView[];
}

/** From the page, each as a whole: what is not given stays as it is. */
export interface Wishes {
  readonly look?: readonly string[];
  readonly topics?: Record<string, number>;
}

/** From the hub: a piece of a topic. */
export interface Piece {
  readonly topic: string;
  readonly begins?: boolean;
  readonly past?: boolean;
  readonly upto?: number;
  readonly views?: readonly SessionView[];
  readonly gone?: readonly string[];
  readonly problem?: string;
  readonly frames?: readonly (AnyEvent | AnyLive)[];
}

/** The one shape of every refusal. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

export type AnyEvent =
  | SessionCreated
  | StepStarted
  | StepFinished
  | SessionReady
  | SessionFailed
  | SessionArchived
  | SessionRestored
  | ExpiryAnnounced
  | SessionRemoved
  | RewindStarted
  | SessionRewound
  | KeeperStarted
  | KeeperExited
  | KeeperUnreachable
  | KeeperReached
  | SessionQueued
  | PlaceGranted
  | SessionStopped
  | SessionRenamed
  | SessionRead
  | ModeChanged
  | ModelChanged
  | BoxChanged
  | BoxEntered
  | ClockJumped
  | NoteMade
  | ConversationResumed
  | DiffChanged
  | CheckpointMade
  | CheckpointFailed
  | UserMessage
  | FollowUpAdded
  | FollowUpEdited
  | FollowUpDeleted
  | MessageDelivered
  | MessageTyped
  | AgentMessage
  | ConversationOpened
  | ConversationTaken
  | ConversationReturned
  | AgentStarted
  | AgentExited
  | ToolCalled
  | ToolFinished
  | TurnStarted
  | TurnFinished
  | UsageRecorded
  | TodosChanged
  | ContextMeasured
  | CommandsListed
  | EffortChanged
  | AgentThought
  | AgentRetried
  | Compacted
  | BudgetChanged
  | PermissionDecided
  | AgentHeld
  | SessionRuleAdded
  | SessionRuleRemoved
  | RepoAdded
  | RepoTrusted
  | RemotesPinned
  | RuleAdded
  | RuleRemoved
  | SpareStarted
  | SpareFilled
  | SpareLeased
  | SpareDropped
  | BaseResolved
  | WorktreePlanned
  | WorktreeReady
  | FilesCopied
  | PortsLeased
  | ListeningChanged
  | SetupStarted
  | SetupOutput
  | SetupFinished
  | TeardownFinished
  | PictureTaken
  | DatabaseClaimed
  | DatabaseBranched
  | DatabaseDropped
  | TerminalOpened
  | TerminalChanged
  | TerminalExited
  | TerminalClosed
  | ConflictChanged
  | BaseMoved
  | MergeStarted
  | MergePrepared
  | ChecksStarted
  | ChecksReported
  | ChecksFinished
  | TargetForwarded
  | SessionMerged
  | MergeFailed
  | UpdateStarted
  | UpdateSecured
  | UpdateApplied
  | UpdateFinished
  | UpdateAborted
  | BaseLanded
  | RestackEnded
  | IssueLinked
  | CommitStarted
  | CommitMade
  | CommitFailed
  | BranchPushed
  | PrChanged
  | ReviewDraftImported
  | ReviewDraftEnded
  | WatchChanged
  | WatchDelivered
  | WatchStopped
  | WatchRenewed
  | IssueStageAnnounced
  | IssueStageFailed
  | IssueStageRetried
  | IssuesProposed
  | ProposedIssueCreated
  | PlanProposed
  | PermissionRequested
  | QuestionAsked
  | AttentionRaised
  | AttentionResolved
  | AnswerDelivered
  | AttentionSnoozed
  | PersonNotified
  | CommentDrafted
  | CommentDiscarded
  | ReviewSent
  | CommentResolved
  | CommentReopened
  | SuggestionApplied
  | FileViewed
  | FileUnviewed
  | VerdictGiven
  | VerdictLapsed
  | ChangeReverted
  | JobStarted
  | JobStepStarted
  | JobStepFinished
  | JobReported
  | JobPaused
  | JobCancelAsked
  | JobEnded
  | CarAdded
  | CarRequeued
  | CarBuilt
  | CarConflicted
  | CarTestStarted
  | CarTested
  | CarLandingStarted
  | CarLanded
  | CarHeld
  | CarLeft
  | MendAsked
  | TrainOrdered
  | TrainPaused
  | TrainResumed
  | ServiceWanted
  | ServiceUnwanted
  | ServiceStarted
  | ServiceHealthy
  | ServiceUnhealthy
  | ServiceExited;

export type AnyLive =
  | TextDelta
  | ToolProgress
  | Patched;

export type Nothing = Readonly<Record<string, never>>;

export interface Reads {
  readonly "/agents": { readonly query: Nothing; readonly answer: readonly AgentView[] };
  readonly "/attention": { readonly query: Nothing; readonly answer: readonly Attention[] };
  readonly "/attention/next": { readonly query: Nothing; readonly answer: Attention };
  readonly "/config": { readonly query: Nothing; readonly answer: ConfigView };
  readonly "/conflicts": { readonly query: { readonly session?: string; readonly other?: string; readonly overlaps?: boolean; readonly fresh?: boolean }; readonly answer: readonly ConflictView[] };
  readonly "/conflicts/hunks": { readonly query: { readonly a: string; readonly b?: string; readonly path?: string; readonly fresh?: boolean }; readonly answer: ConflictHunks };
  readonly "/conflicts/order": { readonly query: { readonly session?: readonly string[] | null; readonly fresh?: boolean }; readonly answer: readonly LandingTurn[] };
  readonly "/databases": { readonly query: Nothing; readonly answer: readonly DatabaseView[] };
  readonly "/doctor": { readonly query: Nothing; readonly answer: readonly Finding[] };
  readonly "/issues": { readonly query: { readonly repo: string; readonly search?: string; readonly tracker?: string; readonly mine?: boolean; readonly limit?: number; readonly ref?: readonly string[] | null; readonly number?: readonly number[] | null }; readonly answer: readonly IssueView[] };
  readonly "/jobs": { readonly query: { readonly every?: boolean }; readonly answer: readonly JobView[] };
  readonly "/log/commands": { readonly query: { readonly limit?: number }; readonly answer: readonly Trace[] };
  readonly "/machine": { readonly query: Nothing; readonly answer: Machine };
  readonly "/past": { readonly query: { readonly repo?: string; readonly agent?: string }; readonly answer: readonly PastConversation[] };
  readonly "/repos": { readonly query: Nothing; readonly answer: readonly RepoView[] };
  readonly "/repos/runnable": { readonly query: { readonly repo?: string }; readonly answer: Bringing };
  readonly "/rules": { readonly query: { readonly repo?: string; readonly session?: string }; readonly answer: readonly RuleView[] };
  readonly "/services": { readonly query: Nothing; readonly answer: readonly ServiceView[] };
  readonly "/sessions": { readonly query: { readonly all?: boolean; readonly attention?: boolean }; readonly answer: readonly SessionView[] };
  readonly "/sessions/{ref}": { readonly query: Nothing; readonly answer: SessionView };
  readonly "/sessions/{ref}/audit": { readonly query: Nothing; readonly answer: readonly AuditLine[] };
  readonly "/sessions/{ref}/base": { readonly query: { readonly fetch?: boolean }; readonly answer: BaseView };
  readonly "/sessions/{ref}/checkpoints": { readonly query: Nothing; readonly answer: readonly CheckpointView[] };
  readonly "/sessions/{ref}/commit": { readonly query: { readonly path?: readonly string[] | null }; readonly answer: Proposal };
  readonly "/sessions/{ref}/db": { readonly query: Nothing; readonly answer: readonly DatabaseView[] };
  readonly "/sessions/{ref}/diff": { readonly query: { readonly patch?: boolean; readonly path?: string | null; readonly turn?: number | null }; readonly answer: Diff };
  readonly "/sessions/{ref}/events": { readonly query: { readonly after?: number; readonly limit?: number }; readonly answer: readonly AnyEvent[] };
  readonly "/sessions/{ref}/files": { readonly query: Nothing; readonly answer: FileList };
  readonly "/sessions/{ref}/files/{place}": { readonly query: Nothing; readonly answer: FileView };
  readonly "/sessions/{ref}/follow-ups": { readonly query: Nothing; readonly answer: readonly Message[] };
  readonly "/sessions/{ref}/landing": { readonly query: Nothing; readonly answer: Landing };
  readonly "/sessions/{ref}/landing/ways": { readonly query: Nothing; readonly answer: LandingWays };
  readonly "/sessions/{ref}/last": { readonly query: { readonly limit?: number }; readonly answer: readonly AnyEvent[] };
  readonly "/sessions/{ref}/pictures/{name}": { readonly query: Nothing; readonly answer: FileView };
  readonly "/sessions/{ref}/pictures/{name}/elements": { readonly query: Nothing; readonly answer: PictureElements };
  readonly "/sessions/{ref}/pr": { readonly query: Nothing; readonly answer: PrStatus };
  readonly "/sessions/{ref}/pr/plan": { readonly query: { readonly base?: string; readonly template?: string }; readonly answer: PrPlan };
  readonly "/sessions/{ref}/review": { readonly query: Nothing; readonly answer: ReviewView };
  readonly "/sessions/{ref}/review/contents": { readonly query: { readonly path: string; readonly side?: Side; readonly against?: string }; readonly answer: Contents };
  readonly "/sessions/{ref}/review/diff": { readonly query: { readonly against?: string; readonly ignore_space?: boolean; readonly first?: number }; readonly answer: Listing };
  readonly "/sessions/{ref}/review/patches": { readonly query: { readonly path: readonly string[]; readonly against?: string; readonly ignore_space?: boolean; readonly whole?: boolean }; readonly answer: Diff };
  readonly "/sessions/{ref}/services": { readonly query: Nothing; readonly answer: readonly ServiceView[] };
  readonly "/sessions/{ref}/services/{name}/log": { readonly query: { readonly after?: number | null; readonly find?: string; readonly wait?: number }; readonly answer: ServiceLogView };
  readonly "/sessions/{ref}/terminals": { readonly query: Nothing; readonly answer: readonly TerminalView[] };
  readonly "/status": { readonly query: Nothing; readonly answer: HubStatus };
  readonly "/trackers": { readonly query: { readonly repo: string }; readonly answer: readonly TrackerView[] };
  readonly "/train": { readonly query: { readonly repo?: string }; readonly answer: readonly TrainView[] };
  readonly "/train/cars": { readonly query: { readonly repo?: string }; readonly answer: readonly CarView[] };
  readonly "/usage": { readonly query: { readonly since?: string }; readonly answer: readonly Cell[] };
}

export interface Commands {
  readonly "/attention/{item}/snooze": { readonly body: Snoozing; readonly answer: Attention };
  readonly "/config": { readonly body: ConfigText; readonly answer: ConfigView };
  readonly "/config/setting": { readonly body: Setting; readonly answer: ConfigView };
  readonly "/databases/drop": { readonly body: BranchName; readonly answer: DatabaseView };
  readonly "/doctor": { readonly body: Mending; readonly answer: readonly Finding[] };
  readonly "/down": { readonly body: Down; readonly answer: HubEnded };
  readonly "/exchange": { readonly body: Code; readonly answer: Exchanged };
  readonly "/jobs/{id}/cancel": { readonly body: null; readonly answer: JobView };
  readonly "/link": { readonly body: null; readonly answer: Link };
  readonly "/notify/test": { readonly body: null; readonly answer: readonly Delivered[] };
  readonly "/page-key": { readonly body: PageKey; readonly answer: null };
  readonly "/repos": { readonly body: RepoPath; readonly answer: RepoView };
  readonly "/repos/trust": { readonly body: Trusting; readonly answer: RepoView };
  readonly "/rotate": { readonly body: null; readonly answer: null };
  readonly "/rules": { readonly body: NewRule; readonly answer: RuleView };
  readonly "/rules/remove": { readonly body: RuleName; readonly answer: readonly RuleView[] };
  readonly "/sessions": { readonly body: New; readonly answer: NewView };
  readonly "/sessions/adopt": { readonly body: Adopt; readonly answer: AdoptedView };
  readonly "/sessions/{ref}/answer": { readonly body: Settling; readonly answer: Attention };
  readonly "/sessions/{ref}/archive": { readonly body: ArchiveRequest; readonly answer: Plan };
  readonly "/sessions/{ref}/box": { readonly body: BoxChoice; readonly answer: SessionView };
  readonly "/sessions/{ref}/budget": { readonly body: BudgetChoice; readonly answer: SessionView };
  readonly "/sessions/{ref}/commit": { readonly body: Commit; readonly answer: Committed };
  readonly "/sessions/{ref}/commit/message": { readonly body: Wish; readonly answer: Proposal };
  readonly "/sessions/{ref}/conversations": { readonly body: Opening; readonly answer: Answered };
  readonly "/sessions/{ref}/db/drop": { readonly body: null; readonly answer: DatabaseView | null };
  readonly "/sessions/{ref}/db/reset": { readonly body: null; readonly answer: DatabaseView };
  readonly "/sessions/{ref}/effort": { readonly body: EffortChoice; readonly answer: SessionView };
  readonly "/sessions/{ref}/follow-ups/{id}": { readonly body: Text; readonly answer: readonly Message[] };
  readonly "/sessions/{ref}/follow-ups/{id}/delete": { readonly body: null; readonly answer: readonly Message[] };
  readonly "/sessions/{ref}/fork": { readonly body: Forking; readonly answer: SessionView };
  readonly "/sessions/{ref}/give": { readonly body: null; readonly answer: SessionView };
  readonly "/sessions/{ref}/merge": { readonly body: Merging; readonly answer: MergeView };
  readonly "/sessions/{ref}/mode": { readonly body: ModeChoice; readonly answer: SessionView };
  readonly "/sessions/{ref}/model": { readonly body: ModelChoice; readonly answer: SessionView };
  readonly "/sessions/{ref}/open": { readonly body: OpenPath; readonly answer: Opened };
  readonly "/sessions/{ref}/pr": { readonly body: OpenPr; readonly answer: PrOpened };
  readonly "/sessions/{ref}/pr/drafts": { readonly body: DraftAction; readonly answer: ReviewDraft };
  readonly "/sessions/{ref}/pr/merge": { readonly body: MergePr; readonly answer: PrMerged };
  readonly "/sessions/{ref}/pr/watch": { readonly body: WatchRequest; readonly answer: WatchView };
  readonly "/sessions/{ref}/proposals": { readonly body: Proposing; readonly answer: Attention };
  readonly "/sessions/{ref}/read": { readonly body: null; readonly answer: SessionView };
  readonly "/sessions/{ref}/rename": { readonly body: Title; readonly answer: SessionView };
  readonly "/sessions/{ref}/restore": { readonly body: null; readonly answer: SessionView };
  readonly "/sessions/{ref}/resume": { readonly body: null; readonly answer: SessionView };
  readonly "/sessions/{ref}/review/comments": { readonly body: Drafting; readonly answer: CommentView };
  readonly "/sessions/{ref}/review/comments/{id}/apply": { readonly body: null; readonly answer: CommentView };
  readonly "/sessions/{ref}/review/comments/{id}/discard": { readonly body: null; readonly answer: ReviewView };
  readonly "/sessions/{ref}/review/comments/{id}/reopen": { readonly body: null; readonly answer: CommentView };
  readonly "/sessions/{ref}/review/comments/{id}/resolve": { readonly body: null; readonly answer: CommentView };
  readonly "/sessions/{ref}/review/revert": { readonly body: Reverting; readonly answer: Reverted };
  readonly "/sessions/{ref}/review/send": { readonly body: Sending; readonly answer: SentReview };
  readonly "/sessions/{ref}/review/verdict": { readonly body: Judging; readonly answer: SessionView };
  readonly "/sessions/{ref}/review/viewed": { readonly body: Viewing; readonly answer: ViewedFile };
  readonly "/sessions/{ref}/rewind": { readonly body: RewindRequest; readonly answer: SessionView };
  readonly "/sessions/{ref}/rm": { readonly body: Removing; readonly answer: Plan };
  readonly "/sessions/{ref}/say": { readonly body: Words; readonly answer: Said };
  readonly "/sessions/{ref}/services/restart": { readonly body: ServiceChoice; readonly answer: readonly ServiceView[] };
  readonly "/sessions/{ref}/services/start": { readonly body: ServiceChoice; readonly answer: readonly ServiceView[] };
  readonly "/sessions/{ref}/services/stop": { readonly body: ServiceChoice; readonly answer: readonly ServiceView[] };
  readonly "/sessions/{ref}/shot": { readonly body: Shooting; readonly answer: PictureView };
  readonly "/sessions/{ref}/stop": { readonly body: null; readonly answer: SessionView };
  readonly "/sessions/{ref}/take": { readonly body: TakeRequest; readonly answer: TerminalView };
  readonly "/sessions/{ref}/terminals": { readonly body: TerminalOpening; readonly answer: TerminalView };
  readonly "/sessions/{ref}/terminals/{name}/change": { readonly body: TerminalChange; readonly answer: TerminalView };
  readonly "/sessions/{ref}/terminals/{name}/close": { readonly body: null; readonly answer: readonly TerminalView[] };
  readonly "/sessions/{ref}/terminals/{name}/kill": { readonly body: null; readonly answer: TerminalView };
  readonly "/sessions/{ref}/terminals/{name}/restart": { readonly body: null; readonly answer: TerminalView };
  readonly "/sessions/{ref}/update": { readonly body: UpdateRequest; readonly answer: UpdateView };
  readonly "/ticket": { readonly body: null; readonly answer: Ticket };
  readonly "/train/add": { readonly body: Boarding; readonly answer: readonly CarView[] };
  readonly "/train/move": { readonly body: Moving; readonly answer: readonly CarView[] };
  readonly "/train/pause": { readonly body: Lane; readonly answer: readonly TrainView[] };
  readonly "/train/remove": { readonly body: Leaving; readonly answer: readonly CarView[] };
  readonly "/train/resume": { readonly body: Lane; readonly answer: readonly TrainView[] };
  readonly "/wait": { readonly body: Waiting; readonly answer: Waited };
}
