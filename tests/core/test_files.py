"""Files are written whole or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import pytest

from aidge_nb.core.files import write_atomically


def test_text_and_bytes(tmp_path: Path) -> None:
    assert write_atomically(tmp_path / "a", "µ\n") == tmp_path / "a"
    write_atomically(str(tmp_path / "b"), b"\0\xff")
    assert (tmp_path / "a").read_bytes() == b"\xc2\xb5\n"
    assert (tmp_path / "b").read_bytes() == b"\0\xff"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]


def test_replaces_what_is_there_and_keeps_its_mode(tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    target.write_text("old")
    target.chmod(0o640)
    write_atomically(target, "new")
    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_new_files_follow_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_atomically(tmp_path / "a", "")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o640


@pytest.mark.parametrize("stage", ["fdopen", "chmod", "replace"])
@pytest.mark.parametrize("error", [OSError("disk full"), KeyboardInterrupt()])
def test_nothing_is_left_when_writing_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stage: str, error: BaseException
) -> None:
    def fail(*arguments: Any, **options: Any) -> None:
        raise error

    target = tmp_path / "page.html"
    target.write_text("old")
    monkeypatch.setattr(os, stage, fail)
    with pytest.raises(type(error)):
        write_atomically(target, "new")
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
    assert target.read_text() == "old"


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    target = tmp_path / "none" / "page.html"
    with pytest.raises(FileNotFoundError) as refusal:
        write_atomically(target, "")
    assert refusal.value.filename == str(target)


def test_a_folder_in_its_place(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError) as refusal:
        write_atomically(tmp_path, "")
    assert refusal.value.filename == str(tmp_path)


def test_links_are_followed(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    write_atomically(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


def test_a_device_is_written_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_atomically(pipe, "through")
        assert os.read(reader, 100) == b"through"
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
