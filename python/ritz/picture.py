"""`ritz picture part.vtkhdf -o part.png`: a result file as a picture, the deformed part coloured by a field, with the
undeformed outline.

Nothing is shown on a screen: VTK draws with OSMesa, so neither a display nor a graphics card is needed. Curved cells and
fields of high order are subdivided. Needs the Python package vtk alone."""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field as default
from typing import Any

os.environ.setdefault("VTK_DEFAULT_OPENGL_WINDOW", "vtkOSOpenGLRenderWindow")

try:
    import vtkmodules.vtkRenderingFreeType  # noqa: F401  text
    import vtkmodules.vtkRenderingOpenGL2  # noqa: F401  the drawing
    from vtkmodules.vtkCommonCore import vtkFloatArray, vtkLookupTable
    from vtkmodules.vtkFiltersCore import vtkFeatureEdges, vtkPolyDataNormals
    from vtkmodules.vtkFiltersGeneral import vtkWarpVector
    from vtkmodules.vtkFiltersGeometry import vtkDataSetSurfaceFilter
    from vtkmodules.vtkImagingCore import vtkImageShrink3D
    from vtkmodules.vtkIOHDF import vtkHDFReader
    from vtkmodules.vtkIOImage import vtkPNGWriter
    from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader
    from vtkmodules.vtkRenderingAnnotation import vtkAxesActor, vtkScalarBarActor
    from vtkmodules.vtkRenderingCore import (vtkActor, vtkLight, vtkPolyDataMapper, vtkRenderer, vtkRenderWindow, vtkTextActor,
                                             vtkWindowToImageFilter)
except ImportError as error:
    NEEDED = f"pictures need VTK for Python ({error}): pip install vtk, or name an interpreter that has it in RITZ_PYTHON"
    if __name__ == "__main__":
        sys.exit("ritz: error: " + NEEDED)
    raise ImportError(NEEDED) from None


class Refused(Exception):
    """What is wrong with the request or the file."""


SUPERSAMPLING = 2  # drawn larger and averaged: smooth lines on any driver
DISPLACEMENT = "displacement"
TITLES = {"von_mises": "von Mises stress", "tresca": "Tresca stress", "safety": "safety factor"}
TENSOR, VECTOR, PRINCIPAL = ("xx", "yy", "zz", "xy", "yz", "xz"), ("x", "y", "z"), ("1", "2", "3")
# From where to look, in 3D.
VIEWS = {"iso": (1.3, -1.6, 0.9), "x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1),
         "-x": (-1, 0, 0), "-y": (0, -1, 0), "-z": (0, 0, -1)}
# Anchors of the colour map: cool where little happens, hot where the part works hard: of a safety factor where it is small.
COLOURS = [(0.32, 0.46, 0.68), (0.36, 0.66, 0.74), (0.53, 0.79, 0.56), (0.96, 0.86, 0.38), (0.94, 0.55, 0.23), (0.74, 0.12, 0.15)]
INK = (0.13, 0.15, 0.18)


@dataclass
class Request:
    result: str
    output: str
    field: str | None = None
    component: str | None = None
    case: str | None = None
    deform: str = "auto"
    view: tuple[float, ...] = VIEWS["iso"]
    range: tuple[float, ...] | None = None
    size: tuple[float, ...] = (1200, 800)
    title: str | None = None
    facts: dict[str, Any] = default(default_factory=dict)


def read_numbers(text: str, n: int) -> list[float]:
    """n finite numbers with commas between them."""
    values = [float(part) for part in text.split(",")]
    if len(values) != n or not all(map(math.isfinite, values)):
        raise ValueError
    return values


def wanted(read: Any, what: str) -> Any:
    """`read` for argparse, with what it takes in the message."""
    def parse(text: str) -> Any:
        try:
            return read(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"'{text}' is no {what}") from None

    return parse


def read_range(text: str) -> list[float]:
    """LOW,HIGH."""
    low, high = read_numbers(text, 2)
    if not high > low:
        raise ValueError
    return [low, high]


def view(text: str) -> tuple[float, ...]:
    """A direction by name or as X,Y,Z."""
    if text in VIEWS:
        return VIEWS[text]
    values = read_numbers(text, 3)
    if not any(values):
        raise ValueError
    return tuple(values)


def pixels(text: str) -> list[float]:
    """Width and height of the picture."""
    values = read_numbers(text, 2)
    if not all(100 <= value <= 10000 and value == int(value) for value in values):
        raise ValueError
    return values


def deformation(text: str) -> str:
    """auto, none or a factor."""
    if text not in ("auto", "none") and not math.isfinite(float(text)):
        raise ValueError
    return text


def arguments() -> Request:
    """The command line as a request."""
    parser = argparse.ArgumentParser(prog="ritz picture", description="Draw a result file as a PNG picture.", add_help=False)
    parser.add_argument("result")
    parser.add_argument("-o", "--output")
    parser.add_argument("--field")
    parser.add_argument("--component")
    parser.add_argument("--case")
    parser.add_argument("--deform", type=wanted(deformation, "factor; it takes auto, none or a number"), default="auto")
    parser.add_argument("--view", type=wanted(view, f"view; there are {', '.join(VIEWS)}, and X,Y,Z"), default=VIEWS["iso"])
    parser.add_argument("--range", type=wanted(read_range, "range; it takes LOW,HIGH with the smaller number first, like 0,250e6"))
    parser.add_argument("--size", type=wanted(pixels, "size; it takes WIDTH,HEIGHT from 100 to 10000, like 1200,800"), default=[1200, 800])
    parser.add_argument("--title")
    parser.add_argument("--json", action="store_true")
    given = vars(parser.parse_args(fused(sys.argv[1:])))
    request = Request(**{key: value for key, value in given.items() if key != "json"})
    request.output = request.output or os.path.splitext(request.result)[0] + ".png"
    request.facts["json"] = given["json"]
    if not request.output.lower().endswith(".png"):
        parser.error(f"argument -o: '{request.output}' does not end in .png")
    return request


def fused(words: list[str]) -> list[str]:
    """`--view -x` as `--view=-x`, which argparse takes for a value."""
    joined: list[str] = []
    for word in words:
        if joined and joined[-1] in ("--view", "--deform", "--range") and word.startswith("-"):
            joined[-1] += "=" + word
        else:
            joined.append(word)
    return joined


def read(path: str) -> Any:
    """The grid of a result file."""
    if not os.path.isfile(path):
        raise Refused(f"{path}: no such file")
    reader = vtkXMLUnstructuredGridReader() if path.endswith(".vtu") else vtkHDFReader()
    if not reader.CanReadFile(path):
        raise Refused(f"{path}: not a result file; there are .vtkhdf and .vtu")
    reader.SetFileName(path)
    reader.Update()
    grid = reader.GetOutputDataObject(0)
    if not grid.IsA("vtkUnstructuredGrid") or grid.GetNumberOfCells() == 0:
        raise Refused(f"{path}: holds no unstructured grid with cells")
    return grid


def field_names(grid: Any) -> list[str]:
    """Names of the fields at points."""
    data = grid.GetPointData()
    return [data.GetArrayName(i) for i in range(data.GetNumberOfArrays())]


def choose_field(grid: Any, wanted: str | None, case: str | None) -> str:
    """von Mises stress, else the first number, else the first field; of a load case its own."""
    names = field_names(grid)
    if not names:
        raise Refused("the file has no point fields")
    if case and not any(name.endswith("_" + case) for name in names):
        raise Refused(f"no field of a load case '{case}'; the file has: {', '.join(names)}")
    own = [name for name in names if not case or name.endswith("_" + case)]
    if not wanted:
        scalars = [name for name in own if grid.GetPointData().GetArray(name).GetNumberOfComponents() == 1]
        return next((name for name in own if name.startswith("von_mises")), (scalars or own)[0])
    exact = f"{wanted}_{case}" if case else wanted
    if exact in names:
        return exact
    of_cases = [] if case else [name for name in names if name.startswith(wanted + "_")]
    if case or wanted in names or not of_cases or not is_case_name(names, of_cases[0], wanted):
        raise Refused(f"no field '{exact}'; the file has: {', '.join(names)}")
    raise Refused(f"'{wanted}' is there for each load case; add --case {of_cases[0][len(wanted) + 1:]}, or name one of: "
                  + ", ".join(of_cases))


def is_case_name(names: list[str], name: str, field: str) -> bool:
    """Whether what stands behind the field's name stands behind those of others, too."""
    return any(other != name and other.endswith(name[len(field):]) for other in names) or len(names) == 1


def choose_component(field: str, components: int, wanted: str | None) -> int | None:
    """Its number; None: the value, or the length of vectors."""
    if wanted is None:
        return None
    names = TENSOR if components == 6 else PRINCIPAL if field.startswith("principal_stress") else VECTOR
    if components == 1 or wanted not in names:
        raise Refused(f"the field '{field}' has no component '{wanted}'; "
                      + ("it is a number" if components == 1 else f"it has: {', '.join(names)}"))
    return names.index(wanted)


def title_of(field: str, component: str | None, case: str | None) -> str:
    """The field in words, and behind a comma its load case."""
    base = next((known for known in TITLES if field.startswith(known + "_")), field)
    if case and field.endswith("_" + case):
        base = field[:-len(case) - 1]
    words = TITLES.get(base, base.replace("_", " ")) + (f" {component}" if component else "")
    return words + (f", {field[len(base) + 1:]}" if base != field else "")


def choose_displacement(grid: Any, field: str) -> str:
    """Of the load case that the field belongs to: displacement_bend beside stress_bend."""
    cases = [name[len(DISPLACEMENT):] for name in field_names(grid) if name.startswith(DISPLACEMENT)]
    return DISPLACEMENT + max((case for case in cases if field.endswith(case)), key=len, default="")


def is_factor(field: str) -> bool:
    """Whether small values are what matters."""
    return field.startswith("safety")


def range_of(grid: Any, name: str, component: int | None) -> tuple[float, float]:
    """The least and the largest value of what is shown, at the points of the file."""
    array = grid.GetPointData().GetArray(name)
    low, high = array.GetRange(-1 if component is None and array.GetNumberOfComponents() > 1 else component or 0)
    return low, high


def invert(grid: Any, name: str) -> None:
    """A safety factor is endless where little happens, and shape functions through such values swing to nothing beside them. Its
    reciprocal is as smooth as the stress."""
    array = grid.GetPointData().GetArray(name)
    for i in range(array.GetNumberOfTuples()):
        array.SetTuple1(i, 1 / array.GetTuple1(i))


def add_shown(surface: Any, name: str, component: int | None, ends: tuple[float, float]) -> list[float]:
    """The field as one number a point (a component, else the length of vectors), under the name 'shown'. Between points of
    curved cells the shape functions leave the range of the values there: an equivalent stress must not become negative."""
    array = surface.GetPointData().GetArray(name)
    components = array.GetNumberOfComponents()
    shown = vtkFloatArray()
    shown.SetName("shown")
    shown.SetNumberOfValues(array.GetNumberOfTuples())
    for i in range(array.GetNumberOfTuples()):
        value = array.GetTuple(i)
        one = math.sqrt(sum(v * v for v in value)) if component is None and components > 1 else value[component or 0]
        if is_factor(name):
            one = 1 / one if one > 0 else ends[1]
        shown.SetValue(i, min(max(one, ends[0]), ends[1]))
    surface.GetPointData().AddArray(shown)
    surface.GetPointData().SetActiveScalars("shown")
    return sorted(shown.GetValue(i) for i in range(shown.GetNumberOfValues()))


def round_scale(raw: float) -> float:
    """The largest of 1, 2, 5 times a power of ten that is not above raw."""
    power = 10.0 ** math.floor(math.log10(raw))
    return max(m * power for m in (1, 2, 5) if m * power <= raw * (1 + 1e-12))


def largest_length(array: Any) -> float:
    """The length of the longest vector."""
    return max(math.sqrt(sum(v * v for v in array.GetTuple(i))) for i in range(array.GetNumberOfTuples()))


def surface_of(grid: Any) -> Any:
    """The skin; faces of high order are cut into triangles finely enough for their order, judged by points a cell."""
    linear = all(grid.GetCellType(i) in (3, 5, 9, 10, 12, 13) for i in range(grid.GetNumberOfCells()))
    skin = vtkDataSetSurfaceFilter()
    skin.SetInputData(grid)
    skin.SetNonlinearSubdivisionLevel(0 if linear else 2 if grid.GetMaxCellSize() <= 27 else 3)
    skin.Update()
    return skin.GetOutput()


def actor_of(algorithm: Any, colour: tuple[float, float, float] | None = None) -> Any:
    """What draws the output of an algorithm, in one colour without light, or in those of its values."""
    mapper = vtkPolyDataMapper()
    mapper.SetInputConnection(algorithm.GetOutputPort())
    actor = vtkActor()
    actor.SetMapper(mapper)
    if colour:
        mapper.ScalarVisibilityOff()
        actor.GetProperty().SetColor(colour)
        actor.GetProperty().LightingOff()
    return actor


def outline(data: Any = None, port: Any = None, boundary: bool = True) -> Any:
    """Edges between faces that meet at an angle, and those of open surfaces where `boundary`."""
    edges = vtkFeatureEdges()
    if data is not None:
        edges.SetInputData(data)
    else:
        edges.SetInputConnection(port)
    edges.BoundaryEdgesOn() if boundary else edges.BoundaryEdgesOff()
    edges.NonManifoldEdgesOff()
    edges.ManifoldEdgesOff()
    edges.SetFeatureAngle(35)
    edges.ColoringOff()
    return edges


def colour_table(low: float, high: float, colours: Any) -> Any:
    """The colours between two values."""
    table = vtkLookupTable()
    table.SetNumberOfTableValues(256)
    for i in range(256):
        place = i / 255 * (len(colours) - 1)
        k = min(int(place), len(colours) - 2)
        t = place - k
        table.SetTableValue(i, *[(1 - t) * a + t * b for a, b in zip(colours[k], colours[k + 1])], 1)
    table.SetTableRange(low, high)
    return table


LETTER = 0.54  # width of a letter over the size of its font, on average; of bold ones a tenth more


def text(content: str, x: int, y: int, size: int, room: int, bold: bool = False) -> Any:
    """Smaller letters where `room` pixels would not hold the line."""
    size = min(size, int(room / (max(len(content), 1) * LETTER * (1.1 if bold else 1))))
    actor = vtkTextActor()
    actor.SetInput(content)
    actor.SetPosition(x, y)
    style = actor.GetTextProperty()
    style.SetFontSize(size)
    style.SetColor(INK)
    style.SetBold(bold)
    style.SetVerticalJustificationToTop()
    return actor


def colour_bar(table: Any, title: str, pixels: int) -> Any:
    """The scale beside the part."""
    bar = vtkScalarBarActor()
    bar.SetLookupTable(table)
    bar.SetTitle("\n".join(line for part in title.split(", ") for line in textwrap.wrap(part, 16)))
    bar.SetNumberOfLabels(6)
    bar.SetLabelFormat(" {:.3g}" if "{" in bar.GetLabelFormat() else " %.3g")
    bar.SetUnconstrainedFontSize(True)
    bar.SetBarRatio(0.22)
    bar.SetPosition(0.865, 0.12)
    bar.SetWidth(0.12)
    bar.SetHeight(0.66)
    bar.SetVerticalTitleSeparation(int(0.02 * pixels))
    for style, size in ((bar.GetTitleTextProperty(), 0.024), (bar.GetLabelTextProperty(), 0.021)):
        style.SetColor(INK)
        style.SetShadow(False)
        style.SetItalic(False)
        style.SetBold(False)
        style.SetFontSize(int(size * pixels))
    bar.GetTitleTextProperty().SetJustificationToCentered()
    return bar


def triad(camera: Any) -> Any:
    """The axes in the corner, turned as the camera is."""
    axes = vtkAxesActor()
    axes.SetShaftTypeToCylinder()
    axes.SetCylinderRadius(0.04)
    axes.SetConeRadius(0.3)
    direction = camera.GetDirectionOfProjection()
    for axis, towards in zip("XYZ", direction):
        if abs(towards) > 0.99:  # seen from its tip
            getattr(axes, f"Set{axis}AxisLabelText")("")
        caption = getattr(axes, f"Get{axis}AxisCaptionActor2D")()
        caption.GetCaptionTextProperty().SetColor(INK)
        caption.GetCaptionTextProperty().ShadowOff()
        caption.GetCaptionTextProperty().ItalicOff()
        caption.SetHeight(0.14)
    axes.SetNormalizedLabelPosition(1.2, 1.2, 1.2)  # beyond the tips
    corner = vtkRenderer()
    corner.SetViewport(0, 0, 0.13, 0.2)
    corner.SetLayer(1)
    corner.InteractiveOff()
    corner.AddActor(axes)
    view = corner.GetActiveCamera()
    view.ParallelProjectionOn()
    view.SetFocalPoint(0, 0, 0)
    view.SetPosition([-6 * d for d in direction])
    view.SetViewUp(camera.GetViewUp())
    corner.ResetCamera()
    return corner


def cross(a: Sequence[float], b: Sequence[float]) -> list[float]:
    """The vector product."""
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def unit(a: Sequence[float]) -> list[float]:
    """The vector with length 1."""
    length = math.sqrt(sum(v * v for v in a))
    return [v / length for v in a]


def look(renderer: Any, flat: bool, view: tuple[float, ...], shapes: Sequence[Any], aspect: float) -> Any:
    """Aims the camera so that the points of the shapes fill the picture left of the colour bar and below the text."""
    towards = unit([0, 0, 1] if flat else view or [1.3, -1.6, 0.9])
    right = unit(cross([0, 1, 0] if flat or abs(towards[2]) > 0.99 else [0, 0, 1], towards))
    up = cross(towards, right)
    spans = []
    for axis in (right, up, towards):
        along = [sum(a * p for a, p in zip(axis, shape.GetPoint(i))) for shape in shapes for i in range(shape.GetNumberOfPoints())]
        spans.append((min(along), max(along)))
    middle = [(low + high) / 2 for low, high in spans]
    extent = [high - low for low, high in spans]
    left, right_margin, bottom, top = 0.06, 0.18, 0.06, 0.15
    full = max(extent[1] / (1 - bottom - top), extent[0] / (1 - left - right_margin) / aspect)  # height of the view
    middle[0] += (right_margin - left) / 2 * full * aspect
    middle[1] += (top - bottom) / 2 * full
    focus = [sum(m * axis[k] for m, axis in zip(middle, (right, up, towards))) for k in range(3)]
    camera = renderer.GetActiveCamera()
    camera.ParallelProjectionOn()
    camera.SetFocalPoint(focus)
    camera.SetPosition([f + t * (full + 2 * extent[2]) for f, t in zip(focus, towards)])
    camera.SetViewUp(up)
    camera.SetParallelScale(full / 2)
    renderer.ResetCameraClippingRange()
    return camera


def write(window: Any, path: str) -> None:
    """The window as a PNG, which appears under its name when it is whole."""
    grab = vtkWindowToImageFilter()
    grab.SetInput(window)
    grab.ReadFrontBufferOff()
    shrink = vtkImageShrink3D()
    shrink.SetInputConnection(grab.GetOutputPort())
    shrink.SetShrinkFactors(SUPERSAMPLING, SUPERSAMPLING, 1)
    shrink.MeanOn()
    png = vtkPNGWriter()
    png.SetInputConnection(shrink.GetOutputPort())
    png.SetCompressionLevel(9)
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder) or not os.access(folder, os.W_OK):
        raise Refused(f"{path}: there is no folder {folder} that can be written")
    unfinished = f"{path}.{os.getpid()}.part"
    png.SetFileName(unfinished)
    png.Write()
    if png.GetErrorCode() or not os.path.isfile(unfinished):
        raise Refused(f"{path}: cannot be written")
    os.replace(unfinished, path)


def choose_range(request: Request, field: str, values: list[float]) -> tuple[float, float]:
    """A few points at sharp corners must not take the colours from the whole part: those of stresses end at 98 % of the points."""
    low, high = request.range or (values[0], values[-1])
    if not request.range and field.startswith(("von_mises", "tresca")):
        low = 0.0
        high = values[int(0.98 * (len(values) - 1))] or values[-1]
    if not request.range and is_factor(field):
        high = min(high, max(5.0, 2 * low))  # where little happens the factor is endless
    return low, high if high > low else low + (abs(low) or 1.0)


def choose_scale(request: Request, diagonal: float, largest: float) -> float:
    """The factor of the deformation: as asked, or so that the largest is about a tenth of the part."""
    if request.deform not in ("auto", "none"):
        return float(request.deform)
    return round_scale(0.1 * diagonal / largest) if request.deform == "auto" and largest > 0 else 0.0


def part_actor(shape: Any, table: Any, flat: bool) -> Any:
    """The part in the colours of its values; plane parts without light."""
    smooth = vtkPolyDataNormals()
    smooth.SetInputConnection(shape.GetOutputPort())
    smooth.SetFeatureAngle(35)
    part = actor_of(smooth)
    part.GetMapper().SetLookupTable(table)
    part.GetMapper().UseLookupTableScalarRangeOn()
    part.GetMapper().InterpolateScalarsBeforeMappingOn()
    look_of = part.GetProperty()
    look_of.SetInterpolationToPhong()
    look_of.SetAmbient(1 if flat else 0.5)
    look_of.SetDiffuse(0 if flat else 0.65)
    look_of.SetSpecular(0 if flat else 0.08)
    look_of.SetSpecularPower(30)
    look_of.SetLighting(not flat)
    return part


def add_lines(renderer: Any, shape: Any, surface: Any, moved: bool) -> None:
    """Edges of the deformed part, and of the one at rest."""
    for lines, colour, opacity in ((outline(port=shape.GetOutputPort()), (0.1, 0.1, 0.12), 0.55),
                                   (outline(data=surface) if moved else None, (0.45, 0.47, 0.52), 0.9)):
        if lines:
            actor = actor_of(lines, colour)
            actor.GetProperty().SetLineWidth(1.2 * SUPERSAMPLING)
            actor.GetProperty().SetOpacity(opacity)
            renderer.AddActor(actor)


def describe(grid: Any, name: str, ends: tuple[float, float], high: float, largest: float, scale: float) -> str:
    """The line below the title."""
    facts = f"{grid.GetNumberOfCells():,} cells, {grid.GetNumberOfPoints():,} points".replace(",", " ").replace("  ", ", ")
    if largest > 0:
        drawn = "drawn undeformed" if scale == 0 else f"drawn {scale:g} times"
        facts += f"    largest displacement {largest:.3g}, {drawn}"
    facts += f"    {name} {ends[0]:.4g} to {ends[1]:.4g}"
    return facts + (f", colours to {high:.4g}" if high < ends[1] * (1 - 1e-6) else "")


def warped(surface: Any, displacement: str, scale: float) -> Any:
    """The deformed surface; that at rest where nothing moves it."""
    if scale:
        warp = vtkWarpVector()
        warp.SetInputData(surface)
        warp.SetInputArrayToProcess(0, 0, 0, 0, displacement)
        warp.SetScaleFactor(scale)
        return warp
    still = vtkPolyDataNormals()
    still.SetInputData(surface)
    still.SplittingOff()
    still.SetFeatureAngle(180)
    return still


def draw(request: Request) -> dict[str, Any]:
    """Draws and writes the picture; what it shows."""
    grid = read(request.result)
    field = choose_field(grid, request.field, request.case)
    components = grid.GetPointData().GetArray(field).GetNumberOfComponents()
    component = choose_component(field, components, request.component)
    ends = range_of(grid, field, component)
    if is_factor(field):
        invert(grid, field)
    surface = surface_of(grid)
    values = add_shown(surface, field, component, ends)
    low, high = choose_range(request, field, values)
    name = title_of(field, request.component, request.case)

    bounds = grid.GetBounds()
    sides = [bounds[2 * i + 1] - bounds[2 * i] for i in range(3)]
    flat = sides[2] <= 1e-12 * max(sides)
    displacement = choose_displacement(grid, field)
    moves = grid.GetPointData().GetArray(displacement)
    largest = largest_length(moves) if moves else 0.0
    scale = choose_scale(request, math.hypot(*sides), largest) if moves else 0.0
    shape = warped(surface, displacement, scale)

    renderer = vtkRenderer()
    renderer.SetBackground(1, 1, 1)
    table = colour_table(low, high, COLOURS[::-1] if is_factor(field) else COLOURS)
    renderer.AddActor(part_actor(shape, table, flat))
    add_lines(renderer, shape, surface, scale != 0)
    width, height = (int(v) * SUPERSAMPLING for v in request.size)
    renderer.AddViewProp(colour_bar(table, name, height))
    line = int(0.045 * height)
    title = request.title or os.path.basename(request.result)
    renderer.AddViewProp(text(title, line, height - line, int(0.032 * height), width - 2 * line, True))
    facts = describe(grid, name, ends, high, largest, scale)
    renderer.AddViewProp(text(facts, line, height - 2 * line, int(0.022 * height), width - 2 * line))

    shape.Update()
    camera = look(renderer, flat, request.view, [shape.GetOutput(), surface] if scale else [surface], width / height)
    for intensity, place in ((0.70, (-0.5, 0.8, 1.0)), (0.40, (1.0, 0.1, 1.0))):
        light = vtkLight()
        light.SetLightTypeToCameraLight()
        light.SetPosition(*place)
        light.SetIntensity(intensity)
        renderer.AddLight(light)
    window = vtkRenderWindow()
    window.SetOffScreenRendering(1)
    window.SetMultiSamples(0)
    window.SetNumberOfLayers(2)
    window.SetSize(width, height)
    window.AddRenderer(renderer)
    window.AddRenderer(triad(camera))
    window.Render()
    write(window, request.output)
    return {"command": "picture", "output": request.output, "field": field, "component": request.component,
            "smallest": ends[0], "largest": ends[1], "range": [low, high], "deformation": scale}


def main() -> None:
    """`ritz picture`."""
    request = arguments()
    try:
        shown = draw(request)
    except (Refused, OSError) as refused:
        if request.facts["json"]:
            print(json.dumps({"command": "picture", "failure": str(refused)}))
        sys.exit(f"ritz: error: {refused}")
    print(json.dumps(shown) if request.facts["json"] else f"picture: {shown['output']}")


if __name__ == "__main__":
    main()
