"""Aidge's modules are found where they are wanted, and nowhere else."""

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import aidge_nb
from aidge_nb.compat import MODULES, install, uninstall
from aidge_nb.compat.__main__ import main
from aidge_nb.compat.finder import ABSENT
from aidge_nb.compat.served.unserved import INSTEAD
from aidge_nb.core.errors import AidgeError


def run_python(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=folder, check=False
    )


@pytest.mark.usefixtures("served")
def test_all_modules_are_this_library() -> None:
    import aidge_core
    import aidge_onnx

    assert aidge_core.SequentialScheduler is aidge_nb.SequentialScheduler
    assert aidge_core.Elts_t is aidge_nb.Elts_t
    assert aidge_core.AsSoonAsPossible is aidge_nb.SchedulingPolicy.AsSoonAsPossible
    assert aidge_core.dtype.float32 is aidge_nb.dtype.float32
    assert aidge_onnx.check_onnx_validity.__module__.startswith("aidge_nb")
    assert all(name in sys.modules for name in MODULES)


def test_each_package_without_a_counterpart_has_its_line() -> None:
    assert {name.removeprefix("aidge_") for name in ABSENT} == {
        *("backend_cuda", "backend_opencv", "benchmark", "compression", "export_arm_cortexm"),
        *("export_tensorrt", "gui", "interop_torch", "pruning"),
    }
    for what, instead in ABSENT.values():
        assert what
        assert instead
        assert "\n" not in what + instead


@pytest.mark.parametrize("name", sorted(ABSENT))
@pytest.mark.usefixtures("served")
def test_what_serves_instead_is_there(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    instead = ABSENT[name][1]
    for dotted in re.findall(r"(?<!-m )aidge_\w+(?:\.\w+)*", instead):
        package, *path = dotted.split(".")
        found: Any = import_module(package)
        for each in path:
            found = getattr(found, each)
    for command in re.findall(r"python -m (\w+ \w+)", instead):
        module, verb = command.split()
        assert import_module(f"{module}.cli").main([verb, "--help"]) == 0
        assert verb in capsys.readouterr().out


@pytest.mark.usefixtures("served")
def test_submodules_are_found() -> None:
    import aidge_core.recipes
    from aidge_core.mem_info import compute_default_mem_info
    from aidge_core.static_analysis import StaticAnalysis

    assert compute_default_mem_info is aidge_nb.compute_default_mem_info
    assert aidge_core.StaticAnalysis is StaticAnalysis
    assert aidge_core.recipes.fuse_batchnorm is aidge_nb.fuse_batchnorm


@pytest.mark.usefixtures("served")
def test_a_name_that_is_not_served_says_so() -> None:
    import aidge_core

    with pytest.raises(AttributeError, match=r"no 'Schedular' \(did you mean .*Scheduler.*--table"):
        aidge_core.Schedular  # noqa: B018


def test_uninstall_takes_everything_back() -> None:
    before = {name: sys.modules.get(name) for name in MODULES}
    install(force=True)
    uninstall()
    assert {name: sys.modules.get(name) for name in MODULES} == before
    assert "aidge_core.mem_info" not in sys.modules


def test_a_package_that_is_there_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    real = ModuleType("aidge_onnx")
    monkeypatch.setitem(sys.modules, "aidge_onnx", real)
    assert "aidge_onnx" not in install()
    assert sys.modules["aidge_onnx"] is real
    uninstall()
    assert "aidge_onnx" in install(force=True)
    assert sys.modules["aidge_onnx"] is not real
    uninstall()
    assert sys.modules["aidge_onnx"] is real


def test_beside_a_real_core_nothing_is_served_that_would_not_fit(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, "aidge_core", ModuleType("aidge_core"))
    with caplog.at_level("WARNING", logger="aidge_nb"):
        served = install()
    try:
        assert not set(served) & {"aidge_core", "aidge_onnx", "aidge_learning"}
        assert "tuto_utils" in served
        assert "install(force=True)" in caplog.text
        with pytest.raises(ModuleNotFoundError, match=r"aidge_onnx.*beside the real aidge_core"):
            import_module("aidge_onnx")
    finally:
        uninstall()
    with pytest.raises(ModuleNotFoundError, match=r"^No module named 'aidge_onnx'$"):
        import_module("aidge_onnx")


@pytest.mark.parametrize("name", sorted(ABSENT))
@pytest.mark.usefixtures("served")
def test_packages_without_a_counterpart_say_what_to_do(name: str) -> None:
    what, instead = ABSENT[name]
    message = f"{name}': it ({what}) is not served by aidge_nb: {instead}"
    with pytest.raises(ModuleNotFoundError, match=re.escape(message)):
        import_module(name)


@pytest.mark.usefixtures("served")
def test_submodules_are_attributes_too() -> None:
    import aidge_core
    import aidge_onnx

    assert aidge_core.mem_info.generate_optimized_memory_info is not None
    assert aidge_core.aidge_core.Tensor is aidge_nb.Tensor
    assert aidge_core.utils.download_file is not None
    assert "relu" in aidge_onnx.node_import.supported_operators()
    for module, name in (
        (aidge_core.mem_info, "draw_map"),
        (aidge_core.export_utils, "ExportNode"),
        (aidge_onnx.node_import, "clear"),
    ):
        with pytest.raises(AttributeError, match=f"as served by aidge_nb has no '{name}'"):
            getattr(module, name)


@pytest.mark.usefixtures("served")
def test_calls_without_a_counterpart_say_what_there_is() -> None:
    import aidge_core

    for name, instead in INSTEAD.items():
        for module in (aidge_core, aidge_core.export_utils):
            with pytest.raises(AttributeError, match=f"has no '{name}': {re.escape(instead)}$"):
                getattr(module, name)


@pytest.mark.usefixtures("served")
def test_files_are_fetched_once_and_what_is_not_there_is_said(tmp_path: Path) -> None:
    import aidge_core
    import tuto_utils

    source, copy = tmp_path / "there.bin", tmp_path / "copy.bin"
    source.write_bytes(b"data")
    aidge_core.utils.download_file(file_path=copy, file_url=source.as_uri())
    assert copy.read_bytes() == b"data"
    source.unlink()
    aidge_core.utils.download_file(str(copy), source.as_uri())  # is there: nothing is asked for
    with pytest.raises(AidgeError, match=r"cannot fetch .*there\.bin.*put it at"):
        aidge_core.utils.download_file(tmp_path / "none.bin", source.as_uri())
    assert [path.name for path in tmp_path.iterdir()] == ["copy.bin"]
    with pytest.raises(AidgeError, match="Copy it from Aidge's tutorial 101"):
        tuto_utils.download_material("101", str(tmp_path / "none.onnx"))


def test_importing_the_library_serves_nothing(tmp_path: Path) -> None:
    code = "import aidge_nb, aidge_nb.compat, sys; print('tuto_utils' in sys.modules)"
    assert run_python(code, tmp_path).stdout == "False\n"


def test_as_an_extension_of_a_notebook(tmp_path: Path) -> None:
    code = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.run_line_magic("load_ext", "aidge_nb.compat")
import tuto_utils
print(tuto_utils.__file__.endswith("tuto_utils.py"))
shell.run_line_magic("unload_ext", "aidge_nb.compat")
import sys
print("tuto_utils" in sys.modules)
"""
    found = run_python(code, tmp_path)
    assert found.stdout == "True\nFalse\n", found.stderr


def test_as_a_command(tmp_path: Path) -> None:
    script = tmp_path / "tutorial.py"
    script.write_text(
        "import sys, aidge_core, helper\n"
        "print(aidge_core.ReLU(name='r').type(), sys.argv[1:], helper.WORD, __name__)\n"
    )
    (tmp_path / "helper.py").write_text("WORD = 'beside'\n")
    command = [sys.executable, "-m", "aidge_nb.compat", "--force", str(script), "one", "two"]
    found = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert found.stdout == "ReLU ['one', 'two'] beside __main__\n", found.stderr


def test_the_command_says_what_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["no_such_script.py"]) == 2
    assert "no_such_script.py: there is no such file" in capsys.readouterr().err
    assert main([]) == 2
    assert "usage" in capsys.readouterr().out


MISTAKE = """\
import aidge_core


def build():
    return aidge_core.Schedular


build()
"""


def test_a_traceback_shows_the_script_and_nothing_of_ours(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MISTAKE, "utf-8")
    command = [sys.executable, "-m", "aidge_nb.compat", "--force", "mine.py"]
    found = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert found.returncode == 1
    assert found.stderr.count('File "') == 2
    assert 'mine.py", line 5, in build' in found.stderr
    assert "did you mean Scheduler" in found.stderr


@pytest.mark.usefixtures("served")
def test_a_notebook_hides_frames_of_ours() -> None:
    import aidge_core

    with pytest.raises(AttributeError) as caught:
        aidge_core.Schedular  # noqa: B018
    assert caught.tb is not None
    inner = caught.tb.tb_next
    assert inner is not None
    assert inner.tb_frame.f_locals["__tracebackhide__"]
