"""Write operators on codes that no standard has."""

from __future__ import annotations

from typing import Any

from aidge_nb.kernels.formats import TYPES
from aidge_nb.onnx_io.save.site import WriteSite, writes


@writes("LookUp")
def look_up(site: WriteSite) -> None:
    """Write a table of codes as Gather: what is below 0 counts from the end, as the bits do."""
    index = site.prepend("Cast", {"to": TYPES.index("int32")})
    site.emit("Gather", None, [site.inputs[1], index])


@writes("ResizeCodes")
def resize_codes(site: WriteSite) -> None:
    """Write a Resize of numbers, rounded to whole ones."""
    attr = site.attr.dict()
    aspect = attr.get("aspect_ratio", "stretch")
    number = site.prepend("Cast", {"to": TYPES.index("float32")})
    zero = site.constant("zero", attr.get("zero", 0), "float32")
    inputs = [site.write("Sub", {}, [number, zero]), ""]
    for name, kind in (("scales", "float32"), ("sizes", "int64")):
        inputs.append(site.constant(name, attr[name], kind) if attr.get(name) else "")
    options: dict[str, Any] = {
        "mode": "linear",
        "coordinate_transformation_mode": attr.get("coordinate_transformation_mode", "half_pixel"),
        "exclude_outside": attr.get("exclude_outside", 0),
        "antialias": attr.get("antialias") or None,
        "keep_aspect_ratio_policy": None if aspect == "stretch" else aspect,
        "axes": tuple(attr.get("axes", ())) or None,
    }
    number = site.write("Resize", options, inputs)
    whole = site.write("Add", {}, [site.write("Round", {}, [number]), zero])
    site.emit("Cast", {"to": TYPES.index(site.operator.get_output(0).dtype.name)}, [whole])


@writes("QLinearConvTranspose")
def conv_transpose(site: WriteSite) -> None:
    """Write a ConvTranspose between DequantizeLinear and QuantizeLinear."""
    if site.node.annotations.get("onnx.domain") != "aidge_nb":
        raise site.error("ONNX has no such operator")
    scale, group = site.operator.get_input(4), int(site.attr.dict().get("group", 1))
    if group > 1 and scale is not None and scale.size > 1:
        raise site.error("groups share the scales of channels", cure="Quantize per tensor.")
    data = site.write("DequantizeLinear", {}, site.inputs[:3])
    weights = site.write("DequantizeLinear", {"axis": 1}, site.inputs[3:6])
    bias = ""
    if len(site.inputs) > 8 and site.inputs[8]:
        step = site.write("Mul", {}, [site.inputs[1], site.inputs[4]])
        number = site.write("Cast", {"to": TYPES.index("float32")}, [site.inputs[8]])
        bias = site.write("Mul", {}, [number, step])
    sums = site.write("ConvTranspose", site.attr.dict(), [data, weights, bias])
    site.emit("QuantizeLinear", None, [sums, *site.inputs[6:8]])
