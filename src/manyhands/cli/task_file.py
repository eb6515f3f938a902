"""Tasks out of a Markdown file, as `new --from` sends them."""

from __future__ import annotations

from pathlib import Path

from manyhands.errors import BadInput
from manyhands.model.task_list import tasks_of

LARGEST = 1024 * 1024
MOST = 50


def load_items(path: str) -> list[dict[str, str]]:
    place = Path(path)
    try:
        data = place.read_bytes()
        text = data.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} cannot be read: {error}") from error
    if len(data) > LARGEST:
        raise BadInput(f"{path} is larger than {LARGEST // 1024} kB")
    tasks = tasks_of(text)
    if not tasks:
        raise BadInput(f"{path} holds no list with an open item", hint="write each task as `- …`")
    if len(tasks) > MOST:
        raise BadInput(f"{path} holds {len(tasks)} open items; at most {MOST} are taken at once")
    return [
        {"origin": f"{place.name}:{task.line}", "title": task.title, "text": task.text}
        for task in tasks
    ]
