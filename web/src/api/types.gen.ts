// Generated from the Python model by scripts/generate_types.py. Do not edit.

export type AgentKind = "acp" | "claude" | "terminal";

export type Mode = "ask" | "auto" | "edits" | "plan";

export type FileStatus = "added" | "deleted" | "modified" | "renamed" | "typechange" | "unchanged";

export type Outcome = "done" | "failed" | "interrupted";

export type TodoState = "doing" | "done" | "pending";

export type Decided = "allow" | "deny";

export type RuleKind = "call" | "glob" | "prefix" | "tool";

export type SetupOutcome = "done" | "failed" | "reused" | "skipped";

export type DatabaseKind = "neon" | "postgres" | "sqlite";

export type AttentionKind = "agent_died" | "bell" | "budget" | "conflict" | "limit" | "permission" | "plan" | "question" | "setup_failed" | "stray_edit" | "trust";

export type Told = "muted" | "seen" | "sent";

export type Side = "new" | "old";

export type Status = "archived" | "failed" | "idle" | "preparing" | "queued" | "unreachable" | "waiting" | "working";

export type Review = "approved" | "commented" | "none";

export type ConversationStatus = "failed" | "idle" | "queued" | "waiting" | "working";

export type SetupState = "" | "done" | "failed" | "reused" | "running" | "skipped";

export type CommentState = "addressed" | "answered" | "draft" | "open" | "resolved";

export type Viewed = "changed" | "no" | "yes";

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
  readonly effort?: string;
  readonly mode?: Mode;
  readonly budget_usd?: number | null;
  readonly budget_minutes?: number | null;
  readonly start?: boolean;
  readonly new_branch?: boolean;
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

/** What is in the trash has been there for its time; a later sweep removes it. */
export interface ExpiryAnnounced {
  readonly type: "expiry_announced";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
}

/** The files are gone for good; `kept` is what is left of it, and where. */
export interface SessionRemoved {
  readonly type: "session_removed";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly kept?: readonly string[];
  readonly lost?: readonly string[];
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

/** The session goes on with a dialogue that its agent had in this worktree before. */
export interface ConversationResumed {
  readonly type: "conversation_resumed";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
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
  readonly path: string;
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
  readonly checkpoint: string;
  readonly commit: string;
}

/** The files are about to go back; recorded before they do, after what is there was kept. */
export interface RewindStarted {
  readonly type: "rewind_started";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
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
  readonly checkpoint: string;
  readonly commit: string;
  readonly forked?: boolean;
  readonly note?: string;
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
  readonly message: string;
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

/** Another dialogue beside the main one, in the same worktree; its id is the envelope's. */
export interface ConversationOpened {
  readonly type: "conversation_opened";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly agent: string;
  readonly kind: string;
  readonly model?: string;
  readonly writes?: boolean;
}

/** `steers`: it takes a message in the middle of a turn. */
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
  readonly returncode?: number | null;
  readonly expected?: boolean;
  readonly reason?: string;
}

/** The model did not answer as it should, and the agent tries it again by itself. */
export interface AgentRetried {
  readonly type: "agent_retried";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly text: string;
  readonly status?: number;
}

/** `parent` is the call by which the sub-agent was started that makes this one. */
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

/** `mark` is the agent's own name for this point of the dialogue, where it has one. */
export interface TurnFinished {
  readonly type: "turn_finished";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
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
  readonly used: number;
  readonly limit: number;
}

/** The agent summarised its dialogue to make room. */
export interface Compacted {
  readonly type: "compacted";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly before?: number;
  readonly after?: number;
}

export interface CommandsListed {
  readonly type: "commands_listed";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
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
  readonly effort: string;
}

/** The session's own budget; None: the configured one holds. */
export interface BudgetChanged {
  readonly type: "budget_changed";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
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
  readonly on?: boolean;
}

export interface SessionRuleAdded {
  readonly type: "session_rule_added";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
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
  readonly path: string;
  readonly digest?: string;
  readonly files?: Record<string, string>;
  readonly approved?: readonly string[];
}

/** A permission that holds for a whole repository; `command` is the rule's pattern. */
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
  readonly kind?: RuleKind;
}

export interface RuleRemoved {
  readonly type: "rule_removed";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
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
  readonly path: string;
  readonly spare: string;
  readonly token: number;
  readonly installed?: string;
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
  readonly base: string;
  readonly base_commit: string;
}

/** The worktree will be made here instead: the spare that was leased is of no use. */
export interface WorktreePlanned {
  readonly type: "worktree_planned";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
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
  readonly outcome: SetupOutcome;
  readonly failed?: string;
  readonly returncode?: number | null;
  readonly error?: string;
  readonly output?: string;
  readonly seconds?: number;
}

/** Recorded before a branch of the data is made: from here on it is ours, and ours to drop. */
export interface DatabaseClaimed {
  readonly type: "database_claimed";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
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
  readonly name: string;
}

/** The session against another, or against its base; no paths: nothing is left of it. */
export interface ConflictChanged {
  readonly type: "conflict_changed";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly other?: string;
  readonly base?: string;
  readonly paths?: readonly Meet[];
  readonly first?: string;
  readonly suggestion?: string;
}

/** A path that two sides changed: they would conflict there, or merely overlap. */
export interface Meet {
  readonly path: string;
  readonly kind: "conflict" | "overlap";
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
  readonly merge: string;
  readonly into: string;
  readonly method: "merge" | "rebase" | "squash";
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
  readonly merge: string;
  readonly tree: string;
  readonly passed: boolean;
  readonly failed?: string;
  readonly error?: string;
  readonly seconds?: number;
}

export interface SessionMerged {
  readonly type: "session_merged";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly merge: string;
  readonly into: string;
  readonly method: "merge" | "rebase" | "squash";
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
  readonly base: string;
  readonly onto: string;
  readonly method: "merge" | "rebase";
}

/** The checkpoint that an abort goes back to. */
export interface UpdateSecured {
  readonly type: "update_secured";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
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
  readonly base: string;
  readonly onto: string;
  readonly method: "merge" | "rebase";
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
  readonly checkpoint: string;
  readonly base_commit: string;
}

export interface IssueLinked {
  readonly type: "issue_linked";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly issue: Issue;
}

/** A snapshot: what the issue said when the session was made. */
export interface Issue {
  readonly origin: string;
  readonly title: string;
  readonly number?: number;
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
  readonly pr: Pr;
}

/** A pull request as it was last seen. */
export interface Pr {
  readonly number: number;
  readonly url: string;
  readonly repo: string;
  readonly state: "closed" | "draft" | "merged" | "open";
  readonly checks?: "failed" | "none" | "passed" | "running";
  readonly review?: "approved" | "changes" | "none";
  readonly title?: string;
  readonly base?: string;
  readonly head?: string;
}

export interface ReviewDraftImported {
  readonly type: "review_draft_imported";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly draft: ReviewDraft;
}

/** A remark from the forge that a person may hand to the agent. */
export interface ReviewDraft {
  readonly id: string;
  readonly kind: "check" | "thread";
  readonly text: string;
  readonly author?: string;
  readonly path?: string;
  readonly line?: number;
  readonly url?: string;
  readonly thread?: string;
  readonly comment?: number;
  readonly remark?: string;
  readonly ended?: "dismissed" | "replied" | "resolved" | "sent" | null;
}

export interface ReviewDraftEnded {
  readonly type: "review_draft_ended";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
  readonly draft: string;
  readonly end: "dismissed" | "replied" | "resolved" | "sent";
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

/** A person does not want to hear of it before `until`; empty: at once again. */
export interface AttentionSnoozed {
  readonly type: "attention_snoozed";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
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
  readonly standing: Standing;
}

export interface SuggestionApplied {
  readonly type: "suggestion_applied";
  readonly seq: number;
  readonly session?: string;
  readonly at: string;
  readonly turn?: number;
  readonly conversation?: string;
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
  readonly path: string;
  readonly checkpoint: string;
  readonly lines?: string;
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
  readonly tokens: Tokens;
  readonly context: Context | null;
  readonly todos: readonly Todo[];
  readonly commands: readonly AgentCommand[];
  readonly conversations: readonly ConversationView[];
  readonly quiet_since: string | null;
  readonly added: number;
  readonly removed: number;
  readonly files_changed: number;
  readonly database: DatabaseBranch | null;
  readonly ports: Record<string, number>;
  readonly listening: readonly Listening[];
  readonly setup: SetupState;
  readonly progress: string;
  readonly in_place: boolean;
  readonly adopted: boolean;
  readonly pr: Pr | null;
  readonly issues: readonly IssueLink[];
  readonly created_at: string;
  readonly updated_at: string;
  readonly error: string | null;
  readonly hint: string;
  readonly follow_ups: readonly Message[];
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

export interface Tokens {
  readonly in: number;
  readonly out: number;
}

/** Tokens of the model's window. */
export interface Context {
  readonly used: number;
  readonly limit: number;
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

export interface IssueLink {
  readonly origin: string;
  readonly number: number;
  readonly title: string;
  readonly url: string;
}

/** Words that wait for the agent; `model` and `effort` hold for them alone. */
export interface Message {
  readonly id: string;
  readonly text: string;
  readonly model?: string;
  readonly effort?: string;
  readonly attachments?: readonly Attachment[];
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
  readonly note: string;
  readonly bytes: number;
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

/** A file's text, or an image as base64 with its media type; neither for other binary files. */
export interface Contents {
  readonly path: string;
  readonly side: Side;
  readonly bytes: number;
  readonly text: string | null;
  readonly media: string;
  readonly data: string;
}

export type AnyEvent =
  | SessionCreated
  | StepStarted
  | StepFinished
  | SessionReady
  | SessionFailed
  | SessionQueued
  | PlaceGranted
  | SessionStopped
  | SessionRenamed
  | SessionRead
  | SessionArchived
  | SessionRestored
  | ExpiryAnnounced
  | SessionRemoved
  | ModeChanged
  | ModelChanged
  | NoteMade
  | KeeperStarted
  | KeeperExited
  | KeeperUnreachable
  | KeeperReached
  | ConversationResumed
  | DiffChanged
  | CheckpointMade
  | RewindStarted
  | SessionRewound
  | UserMessage
  | FollowUpAdded
  | FollowUpEdited
  | FollowUpDeleted
  | MessageDelivered
  | AgentMessage
  | AgentThought
  | ConversationOpened
  | AgentStarted
  | AgentExited
  | AgentRetried
  | ToolCalled
  | ToolFinished
  | TurnStarted
  | TurnFinished
  | UsageRecorded
  | TodosChanged
  | ContextMeasured
  | Compacted
  | CommandsListed
  | EffortChanged
  | BudgetChanged
  | PermissionDecided
  | AgentHeld
  | SessionRuleAdded
  | SessionRuleRemoved
  | RepoAdded
  | RepoTrusted
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
  | DatabaseClaimed
  | DatabaseBranched
  | DatabaseDropped
  | ConflictChanged
  | BaseMoved
  | MergeStarted
  | MergePrepared
  | ChecksStarted
  | ChecksReported
  | ChecksFinished
  | SessionMerged
  | MergeFailed
  | UpdateStarted
  | UpdateSecured
  | UpdateApplied
  | UpdateFinished
  | UpdateAborted
  | IssueLinked
  | CommitStarted
  | CommitMade
  | CommitFailed
  | BranchPushed
  | PrChanged
  | ReviewDraftImported
  | ReviewDraftEnded
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
  | ChangeReverted;

export type AnyLive =
  | TextDelta
  | ToolProgress;
