"""The radar in a running hub: conflicts appear, are told once, and settle themselves."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.driver import Json, RunningHub, bash, eventually, of_type, script, write
from tests.support.sides import numbered


def session(hub: RunningHub, name: str) -> Json:
    """At rest, with a worktree of its own."""
    made = hub.new("", name=name, start=False)
    hub.wait_idle(made["id"])
    return made


def edit(made: Json, file: str, lines: list[int], word: str) -> None:
    (Path(made["worktree"]) / file).write_text(numbered(30, lines, word))


def seen(hub: RunningHub, **query: object) -> list[Json]:
    found: list[Json] = hub.get("/api/conflicts", fresh=True, **query)
    return found


def open_items(hub: RunningHub) -> list[Json]:
    return [item for s in hub.get("/api/sessions") for item in s["attention"]]


def test_a_pair_is_reported_with_files_lines_and_who_began(hub: RunningHub) -> None:
    a, b, c = (session(hub, name) for name in ("Alpha", "Beta", "Gamma"))
    edit(a, "one.txt", [3], "mine")
    assert seen(hub) == []
    edit(b, "one.txt", [3, 4], "yours")
    edit(c, "one.txt", [25], "far away")
    (found,) = seen(hub)
    assert (found["a"], found["b"], found["base"]) == (a["id"], b["id"], False)
    assert found["first"] == a["id"]
    assert "land alpha first" in found["suggestion"]
    (path,) = found["paths"]
    assert (path["path"], path["kind"], path["reason"]) == ("one.txt", "conflict", "content")
    assert path["lines"] == {"a": [[3, 3]], "b": [[3, 4]]}
    with_overlaps = {(f["a"], f["b"]): f["paths"][0]["kind"] for f in seen(hub, overlaps=True)}
    assert with_overlaps == {
        (a["id"], b["id"]): "conflict",
        (a["id"], c["id"]): "overlap",
        (b["id"], c["id"]): "overlap",
    }


def test_one_item_per_pair_that_settles_itself_when_the_conflict_is_gone(hub: RunningHub) -> None:
    a, b = session(hub, "Alpha"), session(hub, "Beta")
    edit(a, "one.txt", [3], "mine")
    seen(hub)
    edit(b, "one.txt", [3], "yours")
    seen(hub)
    (item,) = open_items(hub)
    assert (item["kind"], item["session"]) == ("conflict", b["id"])
    assert item["detail"]["first"] == a["id"]
    assert [o["id"] for o in item["options"]] == ["tell", "seen"]
    edit(a, "two.txt", [7], "mine")
    edit(b, "two.txt", [7], "yours")
    seen(hub)
    assert [i["id"] for i in open_items(hub)] == [item["id"]]
    hub.restart()
    assert len(seen(hub)) == 1
    assert [i["id"] for i in open_items(hub)] == [item["id"]]
    for name in ("one.txt", "two.txt"):
        edit(b, name, [], "")
    assert seen(hub) == []
    assert open_items(hub) == []
    (gone,) = of_type(hub.events(b["id"]), "attention_resolved")
    assert gone["resolution"]["by"] == "hub"
    changes = of_type(hub.events(a["id"]), "conflict_changed")
    assert [len(change.get("paths", [])) for change in changes] == [1, 2, 0]


def test_what_a_person_has_seen_is_not_told_again(hub: RunningHub) -> None:
    a, b = session(hub, "Alpha"), session(hub, "Beta")
    edit(a, "one.txt", [3], "mine")
    edit(b, "one.txt", [3], "yours")
    seen(hub)
    (item,) = open_items(hub)
    hub.answer(item["session"], "seen", item=item["id"])
    edit(b, "one.txt", [3, 4], "yours")
    assert len(seen(hub)) == 1
    assert open_items(hub) == []
    hub.act(a["id"], "archive")
    assert seen(hub) == []
    eventually(lambda: len(of_type(hub.events(a["id"]), "conflict_changed")) == 2)


def test_a_moved_base_conflicts_too_and_no_look_is_asked_for(hub: RunningHub) -> None:
    a = session(hub, "Alpha")
    edit(a, "one.txt", [3], "mine")
    assert seen(hub) == []
    with hub.reader(after=0) as reader:
        (hub.repo / "one.txt").write_text(numbered(30, [3], "main's"))
        hub.git("commit", "-qam", "Moved", cwd=hub.repo)
        told = reader.until_type("conflict_changed", a["id"])
    assert told["base"] == "main"
    (found,) = hub.get("/api/conflicts")
    assert (found["a"], found["b"], found["base"]) == (a["id"], "main", True)
    assert "manyhands update alpha" in found["suggestion"]


def test_what_landed_is_the_bases_matter_and_nobody_else_answers_for_it(hub: RunningHub) -> None:
    a, b = session(hub, "Alpha"), session(hub, "Beta")
    edit(a, "one.txt", [3], "mine")
    seen(hub)
    edit(b, "one.txt", [3], "yours")
    (pair,) = seen(hub)
    assert (pair["a"], pair["b"]) == (a["id"], b["id"])
    hub.git("commit", "-qam", "Mine", cwd=Path(a["worktree"]))
    hub.act(a["id"], "merge", method="squash")
    c = session(hub, "Gamma")
    (base,) = seen(hub)
    assert (base["a"], base["b"], base["base"]) == (b["id"], "main", True)
    (item,) = open_items(hub)
    assert (item["session"], item["detail"]["base"]) == (b["id"], "main")
    file = Path(c["worktree"]) / "one.txt"
    file.write_text(file.read_text().replace("line 20\n", "elsewhere\n"))
    assert [(f["a"], f["b"]) for f in seen(hub)] == [(b["id"], "main")]
    file.write_text(file.read_text().replace("mine 3\n", "theirs\n"))
    found = {(f["a"], f["b"]): f for f in seen(hub)}
    assert found.keys() == {(b["id"], "main"), (b["id"], c["id"])}
    told = found[b["id"], c["id"]]
    # It began there, but cannot land as it is.
    assert told["first"] == c["id"]
    assert "land gamma first" in told["suggestion"]
    assert "beta has to take main in anyway" in told["suggestion"]
    words = [i["detail"]["text"] for i in open_items(hub) if i["detail"]["first"] == c["id"]]
    assert len(words) == 1
    assert "before you" not in words[0]


def test_whoever_cannot_land_any_more_gives_way_to_who_can(hub: RunningHub) -> None:
    a, b = session(hub, "Alpha"), session(hub, "Beta")
    edit(a, "one.txt", [3], "mine")
    edit(a, "two.txt", [7], "mine")
    seen(hub)
    edit(b, "one.txt", [3], "yours")
    (pair,) = seen(hub)
    assert pair["first"] == a["id"]
    (hub.repo / "two.txt").write_text(numbered(30, [7], "main's"))
    hub.git("commit", "-qam", "Moved", cwd=hub.repo)
    found = {f["b"]: f for f in seen(hub)}
    assert found.keys() == {"main", b["id"]}
    assert found[b["id"]]["first"] == b["id"]
    assert "land beta first" in found[b["id"]]["suggestion"]
    told = {(i["session"], i["detail"]["first"]) for i in open_items(hub)}
    assert told == {(a["id"], b["id"]), (a["id"], "")}
    edit(a, "two.txt", [], "")
    (pair,) = seen(hub)
    assert pair["first"] == b["id"]


def test_a_stack_and_a_rewritten_base_are_told_in_words_of_their_own(hub: RunningHub) -> None:
    a = session(hub, "Alpha")
    edit(a, "one.txt", [3], "mine")
    hub.git("commit", "-qam", "Mine", cwd=Path(a["worktree"]))
    b = hub.new("", name="Beta", start=False, base=a["branch"])
    hub.wait_idle(b["id"])
    (Path(b["worktree"]) / "one.txt").write_text(numbered(30, [3, 4], "mine on top"))
    assert seen(hub) == []
    edit(a, "one.txt", [3, 4], "not committed")
    (found,) = seen(hub)
    assert (found["a"], found["b"], found["first"]) == (a["id"], b["id"], a["id"])
    assert "beta builds upon alpha" in found["suggestion"]
    edit(a, "one.txt", [5], "made anew")
    hub.git("commit", "-q", "--amend", "-am", "Other", cwd=Path(a["worktree"]))
    (found,) = seen(hub)
    assert (found["a"], found["b"], found["base"]) == (b["id"], a["branch"], True)
    assert f"{a['branch']} was rewritten" in found["suggestion"]


def test_agents_at_work_are_seen_as_they_write_and_the_later_one_can_be_told(
    hub: RunningHub,
) -> None:
    text = numbered(30, [5], "first")
    a = hub.new(script(write("one.txt", text), {"text": "done"}, words="Alpha"), name="Alpha")
    hub.wait_idle(a["id"])
    with hub.reader(after=0) as reader:
        text = numbered(30, [5], "second")
        b = hub.new(script(write("one.txt", text), {"text": "done"}, words="Beta"), name="Beta")
        told = reader.until_type("conflict_changed")
        assert {told["session"], told["other"]} == {a["id"], b["id"]}
        assert told["first"] == a["id"]
    item = hub.wait_attention(b["id"])
    assert "one.txt" in item["detail"]["text"]
    eventually(lambda: hub.show(b["id"])["turn"] == 1 and hub.show(b["id"])["status"] == "idle")
    hub.answer(b["id"], "tell")
    said = of_type(hub.events(b["id"]), "user_message")[-1]
    assert said["text"] == item["detail"]["text"]
    hub.wait_idle(b["id"])
    assert hub.show(b["id"])["turn"] == 2


def test_a_fresh_worktree_is_looked_at_whole_once_for_all_who_need_it(hub: RunningHub) -> None:
    """For the diff, the checkpoint before the first turn and the radar, which sees the clash."""
    # Changed at one go, over a file that is ignored: a watcher may look at any moment.
    change = "sed 's/line 3$/{}/' one.txt > one.ignored && mv one.ignored one.txt"
    edits = [script(bash(change.format(word))) for word in ("mine", "yours")]
    made = [hub.new(edit, name=word) for word, edit in zip(("Alpha", "Beta"), edits, strict=True)]
    hub.wait_idle(*(s["id"] for s in made))
    eventually(lambda: len(hub.get("/api/conflicts")) == 1)
    for s in made:
        ids = [c["checkpoint"] for c in of_type(hub.events(s["id"]), "checkpoint_made")]
        assert "0" in ids
        (changed,) = of_type(hub.events(s["id"]), "diff_changed")
        assert (changed["path"], changed["total_files"]) == ("one.txt", 1)
        assert len(whole_looks(hub, s)) == 1


def whole_looks(hub: RunningHub, s: Json) -> list[str]:
    ran = [json.loads(line) for line in hub.home.command_log.read_text().splitlines()]
    mine = [" ".join(trace["argv"]) for trace in ran if trace["cwd"] == s["worktree"]]
    return [said for said in mine if said.startswith("add -A")]
