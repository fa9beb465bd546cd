"""The table of operators, against the ``onnx`` package that it was written from."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

from onnx import defs

from aidge_nb.onnx_io.schemas import TEXT, newest_opset, schema_of

ROOT = Path(__file__).resolve().parents[2]


def written_anew() -> dict[str, Any]:
    spec = importlib.util.spec_from_file_location("onnx_schemas", ROOT / ".ci/onnx_schemas.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    found: dict[str, Any] = json.loads(json.dumps(module.table()))
    return found


def test_the_table_is_what_the_package_declares() -> None:
    table = json.loads((ROOT / "aidge_nb/onnx_io/schemas.json").read_text("utf-8"))
    anew = written_anew()
    newer = defs.onnx_opset_version() > newest_opset()
    for domain, operators in anew.items():
        for name, versions in operators.items():
            known = table[domain].get(name, [])
            if newer:  # an update of the package is followed by hand
                versions = [entry for entry in versions if entry[0] <= newest_opset()]
            assert known[: len(versions)] == versions, "run  python .ci/onnx_schemas.py"


def test_every_version_of_every_operator_is_found() -> None:
    for schema in defs.get_all_schemas_with_history():
        if schema.domain or schema.since_version > newest_opset():
            continue
        found = schema_of(schema.name, schema.since_version)
        assert found is not None
        assert (found.since, found.outputs) == (schema.since_version, schema.max_output)
        assert found.attributes.keys() == schema.attributes.keys()
        assert len(found.inputs) == len(schema.inputs)
        assert found.deprecated == schema.deprecated


def test_versions_in_between_and_before() -> None:
    relu = schema_of("Relu", 12)
    assert relu is not None
    assert relu.since == 6
    assert schema_of("Gelu", 19) is None
    assert schema_of("Relu", 12, "ai.onnx") == relu
    assert schema_of("Relu", 12, "elsewhere") is None
    text = schema_of("StringNormalizer", 10)
    assert text is not None
    assert text.kinds == (TEXT,)
