"""Read and write descriptions as YAML (with PyYAML) or JSON.

Duplicate keys are an error: two devices of one name would silently become one. Anchors and tags
are refused.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from aidge_nb.core.errors import HardwareError, MissingExtraError, explain, reading
from aidge_nb.hardware.targets.where import Where


def read_text(text: str, source: str = "description") -> tuple[Any, Where]:
    r"""Read a document: JSON, or YAML if PyYAML is installed; return plain values, and their place.

    Raise HardwareError for text that cannot be read; names the line. Raise MissingExtraError for
    YAML when PyYAML is not installed.

    Examples
    --------
    >>> values, where = read_text("device: mcu\nmemories:\n  ram: {size: 64KiB, kind: ram}")
    >>> values
    {'device': 'mcu', 'memories': {'ram': {'size': '64KiB', 'kind': 'ram'}}}
    >>> str(where / "memories" / "ram" / "size")
    'description, line 3: memories/ram/size'
    """
    if not isinstance(text, str):
        cure = 'Read the file first: Path("target.yaml").read_text().'
        found = type(text).__name__
        raise HardwareError.at(source, "must be text", expected="str", found=found, cure=cure)
    with reading(source, HardwareError, "plain values, not too deep"):
        return _read(text, source)


def _read(text: str, source: str) -> tuple[Any, Where]:
    if text.lstrip().startswith("{"):
        try:
            return json.loads(text, object_pairs_hook=_without_twins(source)), Where(source)
        except json.JSONDecodeError:
            pass  # YAML mappings may begin with a brace too
    yaml = _yaml()
    try:
        loader = yaml.SafeLoader(text)
        root = loader.get_single_node()
        if root is None:
            raise HardwareError.at(
                source, "is empty", expected="key: value", cure="Write the description into it."
            )
        lines: dict[str, int] = {}
        _note_lines(yaml, root, Where(source, lines=lines), lines, set())
        return loader.construct_document(root), Where(source, lines=lines)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = ", ".join(filter(None, (error.context, error.problem)))
        where = f"{source}, line {mark.line + 1}" if mark is not None else source
        raise HardwareError.at(
            where, f"cannot be read as YAML: {problem}", cure="Mend it; quote texts with : or #."
        ) from error
    except yaml.YAMLError as error:
        raise HardwareError.at(
            source, f"cannot be read as YAML: {error}", cure="Mend it; quote texts with : or #."
        ) from error


def write_yaml(values: Mapping[str, Any]) -> str:
    """Write a description as YAML, with innermost values in one line.

    Raise MissingExtraError when PyYAML is not installed.

    Examples
    --------
    >>> print(write_yaml({"device": "mcu", "memories": {"ram": {"size": "64KiB"}}}), end="")
    device: mcu
    memories:
      ram: {size: 64KiB}
    """
    text: str = _yaml().safe_dump(
        dict(values), sort_keys=False, default_flow_style=None, allow_unicode=True, width=100
    )
    return text


def _yaml() -> ModuleType:
    try:
        import yaml
    except ImportError as error:
        raise MissingExtraError("PyYAML", "hardware") from error
    module: ModuleType = yaml
    return module


def _note_lines(
    yaml: ModuleType, node: Any, where: Where, lines: dict[str, int], seen: set[int]
) -> None:
    """Note the line of each key and item; refuse duplicate keys and shared values."""
    if isinstance(node, yaml.ScalarNode):
        return
    if id(node) in seen:
        raise where.error("anchors and aliases are not used here", cure="Write it out.")
    seen.add(id(node))
    if isinstance(node, yaml.SequenceNode):
        for number, each in enumerate(node.value):
            here = where[number]
            lines[here.path] = each.start_mark.line + 1
            _note_lines(yaml, each, here, lines, seen)
        return
    for key, value in node.value:
        here = where / key.value
        if here.path in lines:
            raise HardwareError(
                _twice(f"{where.source}, line {key.start_mark.line + 1}", here.path)
            )
        lines[here.path] = key.start_mark.line + 1
        _note_lines(yaml, value, here, lines, seen)


def _without_twins(source: str) -> Any:
    def build(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            names = [key for key, _ in pairs]
            raise HardwareError(_twice(source, next(key for key in names if names.count(key) > 1)))
        return found

    return build


def _twice(where: str, key: str) -> str:
    return explain(where, "is written twice", found=key, cure="Give one of them another name.")
