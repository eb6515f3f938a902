"""What we read of GitLab's answers; whatever else they hold, now or later, is passed over."""

from __future__ import annotations

import msgspec


class Person(msgspec.Struct, frozen=True):
    username: str = ""
    id: int = 0


class LabelName(msgspec.Struct, frozen=True):
    name: str


class Access(msgspec.Struct, frozen=True):
    access_level: int = 0


class ProjectAccess(msgspec.Struct, frozen=True):
    project_access: Access | None = None
    group_access: Access | None = None


class ProjectName(msgspec.Struct, frozen=True):
    id: int
    path_with_namespace: str
    default_branch: str | None = ""


class Project(msgspec.Struct, frozen=True):
    id: int
    path_with_namespace: str
    default_branch: str | None = ""
    web_url: str = ""
    archived: bool = False
    forked_from_project: ProjectName | None = None
    permissions: ProjectAccess | None = None
    merge_method: str = "merge"
    squash_option: str = "default_off"
    merge_trains_enabled: bool | None = False
    only_allow_merge_if_pipeline_succeeds: bool | None = False


class ProjectBranch(msgspec.Struct, frozen=True):
    protected: bool = False
    can_push: bool = True


class ApprovalRule(msgspec.Struct, frozen=True):
    approvals_required: int = 0


class IssueOfGitLab(msgspec.Struct, frozen=True):
    iid: int
    title: str
    web_url: str
    state: str
    description: str | None = None
    author: Person | None = None
    labels: list[str] = []
    assignees: list[Person] = []
    user_notes_count: int = 0
    updated_at: str = ""


class Pipeline(msgspec.Struct, frozen=True):
    id: int
    project_id: int = 0
    sha: str = ""


class MergeRequest(msgspec.Struct, frozen=True):
    iid: int
    title: str
    web_url: str
    state: str
    source_branch: str
    target_branch: str
    source_project_id: int | None = None
    target_project_id: int | None = None
    description: str | None = None
    author: Person | None = None
    reviewers: list[Person] = []
    labels: list[str] = []
    draft: bool = False
    sha: str | None = ""
    merge_status: str = ""
    detailed_merge_status: str = ""
    merge_commit_sha: str | None = None
    squash_commit_sha: str | None = None
    merge_when_pipeline_succeeds: bool | None = False
    head_pipeline: Pipeline | None = None
    user_notes_count: int = 0
    blocking_discussions_resolved: bool | None = None
    updated_at: str = ""


class Approver(msgspec.Struct, frozen=True):
    user: Person
    approved_at: str | None = None


class Approvals(msgspec.Struct, frozen=True):
    approved_by: list[Approver] = []


class Reviewer(msgspec.Struct, frozen=True):
    user: Person
    state: str = ""
    created_at: str = ""


class NotePosition(msgspec.Struct, frozen=True):
    new_path: str | None = None
    old_path: str | None = None
    new_line: int | None = None
    head_sha: str | None = None


class Note(msgspec.Struct, frozen=True):
    id: int
    body: str | None = ""
    author: Person | None = None
    created_at: str = ""
    system: bool = False
    resolvable: bool = False
    resolved: bool | None = False
    position: NotePosition | None = None


class Discussion(msgspec.Struct, frozen=True):
    id: str
    individual_note: bool = False
    notes: list[Note] = []


class PipelineJob(msgspec.Struct, frozen=True):
    """A job, one that starts another pipeline, or a status that somebody else has set."""

    id: int
    name: str
    status: str
    allow_failure: bool | None = False
    web_url: str | None = ""
    target_url: str | None = ""
    failure_reason: str | None = ""
    description: str | None = ""


class TrainCar(msgspec.Struct, frozen=True):
    status: str = ""
