#!/usr/bin/env python3
"""Write down what the ONNX standard declares about operators, for machines without the package.

    python .ci/onnx_schemas.py

It asks the installed ``onnx`` package, and writes ``aidge_nb/onnx_io/schemas.json``: by domain and
operator, version by version. Run it with the environment of the tests (see CONTRIBUTING.md) when a
newer package is to be followed; a test compares both.
"""

import json
from pathlib import Path

FILE = Path(__file__).resolve().parent.parent / "aidge_nb/onnx_io/schemas.json"
TEXT, NUMBERS = 1, 2


def default_of(attribute):
    """Return the default of an attribute if it is a number, a text or a list of them."""
    from onnx import helper

    value = attribute.default_value
    if not value.type:
        return None
    found = helper.get_attribute_value(value)
    if isinstance(found, (list, tuple)):
        return [each.decode() if isinstance(each, bytes) else each for each in found]
    found = found.decode() if isinstance(found, bytes) else found
    return found if isinstance(found, (int, float, str)) else None


def entry(schema):
    """Return one version of an operator as a short list."""
    kinds = {name: [int(a.type.value), default_of(a)] for name, a in schema.attributes.items()}
    kinds = {n: pair if pair[1] is not None else pair[:1] for n, pair in sorted(kinds.items())}
    texts = [
        TEXT * any("string" in kind for kind in each.types)
        + NUMBERS * any("string" not in kind for kind in each.types)
        for each in schema.inputs
    ]
    has_body = schema.has_function or schema.has_context_dependent_function
    names = [each.name.lower() for each in schema.inputs]
    marks = int(has_body) + 2 * int(schema.deprecated)
    return [schema.since_version, schema.max_output, kinds, names, texts, marks]


def table():
    """Return all versions of all operators, by domain and operator."""
    from onnx import defs

    found = {}
    for schema in defs.get_all_schemas_with_history():
        found.setdefault(schema.domain, {}).setdefault(schema.name, []).append(entry(schema))
    return {
        domain: {name: sorted(operators[name]) for name in sorted(operators)}
        for domain, operators in sorted(found.items())
    }


def main():
    """Write the file, an operator a line."""
    domains = []
    for domain, operators in table().items():
        lines = [
            f" {json.dumps(name)}: {json.dumps(versions, separators=(',', ':'))}"
            for name, versions in operators.items()
        ]
        domains.append(f"{json.dumps(domain)}: {{\n" + ",\n".join(lines) + "\n}")
    FILE.write_text("{\n" + ",\n".join(domains) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
