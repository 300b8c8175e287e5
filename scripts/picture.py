#!/usr/bin/env python3
"""A picture of a result file: the deformed part coloured by a field, with the undeformed outline.

    picture.py RESULT.vtkhdf OUT.png [--field NAME] [--scale S] [--range LOW,HIGH] [--view X,Y,Z] [--size W,H]

Vector fields are coloured by their length; 2D results are looked at along z. The scale of the deformation is chosen
so that the largest displacement is visible, and is written on the picture. Of a result with load cases, the field's own case
is drawn: --field von_mises_bend. Curved cells and fields of high order are
subdivided. Nothing is shown on a screen: VTK draws with OSMesa, so neither a display nor a graphics card is needed.
Needs the Python package vtk (scripts/packages.sh)."""

import argparse
import math
import os
import sys

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
    from vtkmodules.vtkRenderingAnnotation import vtkAxesActor, vtkScalarBarActor
    from vtkmodules.vtkRenderingCore import (vtkActor, vtkLight, vtkPolyDataMapper, vtkRenderer, vtkRenderWindow, vtkTextActor,
                                             vtkWindowToImageFilter)
except ImportError as error:
    sys.exit(f"picture.py: {error}: install the Python package vtk (python3 -m venv .venv && .venv/bin/pip install vtk)")

SUPERSAMPLING = 2  # drawn larger and averaged: smooth lines on any driver
DISPLACEMENT = "displacement"
TITLES = {"von_mises": "von Mises stress"}
# Anchors of the colour map: cool where little happens, hot where the part works hard.
COLOURS = [(0.32, 0.46, 0.68), (0.36, 0.66, 0.74), (0.53, 0.79, 0.56), (0.96, 0.86, 0.38), (0.94, 0.55, 0.23), (0.74, 0.12, 0.15)]
INK = (0.13, 0.15, 0.18)


def numbers(n):
    def parse(text):
        values = [float(part) for part in text.split(",")]
        if len(values) != n:
            raise ValueError
        return values
    parse.__name__ = f"list of {n} numbers"
    return parse


def arguments():
    parser = argparse.ArgumentParser(description="Draw a result file as a PNG picture.")
    parser.add_argument("result", help="a .vtkhdf file")
    parser.add_argument("picture", help="the .png file to write")
    parser.add_argument("--field", help="the point field for the colours (default: von_mises, else the first one)")
    parser.add_argument("--scale", type=float, help="factor of the deformation (default: chosen; 0: undeformed)")
    parser.add_argument("--range", type=numbers(2), help="values at the ends of the colour bar")
    parser.add_argument("--view", type=numbers(3), help="from where to look in 3D (default: 1.3,-1.6,0.9)")
    parser.add_argument("--size", type=numbers(2), default=[1200, 800], help="width,height in pixels")
    parser.add_argument("--title", help="the first line of text (default: the file's name)")
    return parser.parse_args()


def read(path):
    if not os.path.isfile(path):
        sys.exit(f"picture.py: {path}: no such file")
    reader = vtkHDFReader()
    if not reader.CanReadFile(path):
        sys.exit(f"picture.py: {path}: not a VTKHDF file")
    reader.SetFileName(path)
    reader.Update()
    grid = reader.GetOutputDataObject(0)
    if not grid.IsA("vtkUnstructuredGrid") or grid.GetNumberOfCells() == 0:
        sys.exit(f"picture.py: {path}: holds no unstructured grid with cells")
    return grid


def choose_field(grid, wanted):
    data = grid.GetPointData()
    names = [data.GetArrayName(i) for i in range(data.GetNumberOfArrays())]
    if wanted and wanted not in names:
        sys.exit(f"picture.py: no field '{wanted}'; the file has: {', '.join(names)}")
    if not names:
        sys.exit("picture.py: the file has no point fields")
    return wanted or next((name for name in names if name.startswith("von_mises")), names[0])


def choose_displacement(grid, field):
    """Of the load case that the field belongs to: displacement_bend beside stress_bend."""
    data = grid.GetPointData()
    names = [data.GetArrayName(i) for i in range(data.GetNumberOfArrays())]
    cases = [name[len(DISPLACEMENT):] for name in names if name.startswith(DISPLACEMENT)]
    return DISPLACEMENT + max((case for case in cases if field.endswith(case)), key=len, default="")


def add_shown(surface, name):
    """The field as one number a point (the length of vectors), under the name 'shown'."""
    array = surface.GetPointData().GetArray(name)
    components = array.GetNumberOfComponents()
    shown = vtkFloatArray()
    shown.SetName("shown")
    shown.SetNumberOfValues(array.GetNumberOfTuples())
    for i in range(array.GetNumberOfTuples()):
        value = array.GetTuple(i)
        shown.SetValue(i, value[0] if components == 1 else math.sqrt(sum(v * v for v in value)))
    surface.GetPointData().AddArray(shown)
    surface.GetPointData().SetActiveScalars("shown")
    return sorted(shown.GetValue(i) for i in range(shown.GetNumberOfValues()))


def round_scale(raw):
    """The largest of 1, 2, 5 times a power of ten that is not above raw."""
    power = 10.0 ** math.floor(math.log10(raw))
    return max(m * power for m in (1, 2, 5) if m * power <= raw * (1 + 1e-12))


def largest_length(array):
    return max(math.sqrt(sum(v * v for v in array.GetTuple(i))) for i in range(array.GetNumberOfTuples()))


def surface_of(grid):
    """The skin; faces of high order are cut into triangles finely enough for their order, judged by points a cell."""
    linear = all(grid.GetCellType(i) in (5, 9, 10, 12, 13) for i in range(grid.GetNumberOfCells()))
    skin = vtkDataSetSurfaceFilter()
    skin.SetInputData(grid)
    skin.SetNonlinearSubdivisionLevel(0 if linear else 2 if grid.GetMaxCellSize() <= 27 else 3)
    skin.Update()
    return skin.GetOutput()


def actor_of(algorithm, colour=None):
    mapper = vtkPolyDataMapper()
    mapper.SetInputConnection(algorithm.GetOutputPort())
    actor = vtkActor()
    actor.SetMapper(mapper)
    if colour:
        mapper.ScalarVisibilityOff()
        actor.GetProperty().SetColor(colour)
        actor.GetProperty().LightingOff()
    return actor


def outline(data=None, port=None, boundary=True):
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


def colour_table(low, high):
    table = vtkLookupTable()
    table.SetNumberOfTableValues(256)
    for i in range(256):
        place = i / 255 * (len(COLOURS) - 1)
        k = min(int(place), len(COLOURS) - 2)
        t = place - k
        table.SetTableValue(i, *[(1 - t) * a + t * b for a, b in zip(COLOURS[k], COLOURS[k + 1])], 1)
    table.SetTableRange(low, high)
    return table


def text(content, x, y, size, bold=False):
    actor = vtkTextActor()
    actor.SetInput(content)
    actor.SetPosition(x, y)
    style = actor.GetTextProperty()
    style.SetFontSize(size)
    style.SetColor(INK)
    style.SetBold(bold)
    style.SetVerticalJustificationToTop()
    return actor


def colour_bar(table, title, pixels):
    bar = vtkScalarBarActor()
    bar.SetLookupTable(table)
    bar.SetTitle(title)
    bar.SetNumberOfLabels(6)
    bar.SetLabelFormat("{:.3g}" if "{" in bar.GetLabelFormat() else "%.3g")
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


def triad(camera, flat):
    axes = vtkAxesActor()
    axes.SetShaftTypeToCylinder()
    axes.SetCylinderRadius(0.04)
    axes.SetConeRadius(0.3)
    for axis in "XYZ":
        caption = getattr(axes, f"Get{axis}AxisCaptionActor2D")()
        caption.GetCaptionTextProperty().SetColor(INK)
        caption.GetCaptionTextProperty().ShadowOff()
        caption.GetCaptionTextProperty().ItalicOff()
        caption.SetHeight(0.14)
    if flat:
        axes.SetZAxisLabelText("")
    corner = vtkRenderer()
    corner.SetViewport(0, 0, 0.13, 0.2)
    corner.SetLayer(1)
    corner.InteractiveOff()
    corner.AddActor(axes)
    view = corner.GetActiveCamera()
    view.ParallelProjectionOn()
    direction = camera.GetDirectionOfProjection()
    view.SetFocalPoint(0, 0, 0)
    view.SetPosition([-6 * d for d in direction])
    view.SetViewUp(camera.GetViewUp())
    corner.ResetCamera()
    return corner


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def unit(a):
    length = math.sqrt(sum(v * v for v in a))
    return [v / length for v in a]


def look(renderer, flat, view, points, aspect):
    """Aims the camera so that the points fill the picture left of the colour bar and below the text."""
    towards = unit([0, 0, 1] if flat else view or [1.3, -1.6, 0.9])
    right = unit(cross([0, 1, 0] if flat or abs(towards[2]) > 0.99 else [0, 0, 1], towards))
    up = cross(towards, right)
    spans = []
    for axis in (right, up, towards):
        along = [sum(a * p for a, p in zip(axis, points.GetPoint(i))) for i in range(points.GetNumberOfPoints())]
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


def write(window, path):
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
    png.SetFileName(path)
    png.Write()
    if png.GetErrorCode() or not os.path.isfile(path):
        sys.exit(f"picture.py: {path}: can not be written")


def main():
    options = arguments()
    grid = read(options.result)
    field = choose_field(grid, options.field)
    surface = surface_of(grid)
    values = add_shown(surface, field)
    low, high = options.range or (values[0], values[-1])
    if not options.range and field.startswith("von_mises"):
        low = 0.0
        # A few points at sharp corners must not take the colours from the whole part.
        high = values[int(0.98 * (len(values) - 1))]
    if not high > low:
        high = low + (abs(low) or 1.0)

    bounds = grid.GetBounds()
    flat = bounds[5] - bounds[4] <= 1e-12 * max(bounds[1] - bounds[0], bounds[3] - bounds[2])
    diagonal = math.sqrt(sum((bounds[2 * i + 1] - bounds[2 * i]) ** 2 for i in range(3)))
    displacement = choose_displacement(grid, field)
    moved = grid.GetPointData().GetArray(displacement)
    largest = largest_length(moved) if moved else 0.0
    scale = options.scale
    if scale is None:
        scale = round_scale(0.1 * diagonal / largest) if largest > 0 else 0.0

    warp = vtkWarpVector()
    warp.SetInputData(surface)
    warp.SetInputArrayToProcess(0, 0, 0, 0, displacement)
    warp.SetScaleFactor(scale if moved else 0.0)
    shape = warp
    if not moved:
        shape = vtkPolyDataNormals()
        shape.SetInputData(surface)
        shape.SplittingOff()
        shape.SetFeatureAngle(180)
    smooth = vtkPolyDataNormals()
    smooth.SetInputConnection(shape.GetOutputPort())
    smooth.SetFeatureAngle(35)

    renderer = vtkRenderer()
    renderer.SetBackground(1, 1, 1)
    part = actor_of(smooth)
    part.GetMapper().SetLookupTable(colour_table(low, high))
    part.GetMapper().UseLookupTableScalarRangeOn()
    part.GetMapper().InterpolateScalarsBeforeMappingOn()
    part.GetProperty().SetInterpolationToPhong()
    part.GetProperty().SetAmbient(0.5)
    part.GetProperty().SetDiffuse(0.65)
    part.GetProperty().SetSpecular(0.08)
    part.GetProperty().SetSpecularPower(30)
    if flat:
        part.GetProperty().LightingOff()
        part.GetProperty().SetAmbient(1)
        part.GetProperty().SetDiffuse(0)
    renderer.AddActor(part)

    deformed_lines = actor_of(outline(port=shape.GetOutputPort()), (0.1, 0.1, 0.12))
    deformed_lines.GetProperty().SetLineWidth(1.2 * SUPERSAMPLING)
    deformed_lines.GetProperty().SetOpacity(0.55)
    renderer.AddActor(deformed_lines)
    if moved and scale:
        rest = actor_of(outline(data=surface), (0.45, 0.47, 0.52))
        rest.GetProperty().SetLineWidth(1.2 * SUPERSAMPLING)
        rest.GetProperty().SetOpacity(0.9)
        renderer.AddActor(rest)

    width, height = [int(v) * SUPERSAMPLING for v in options.size]
    renderer.AddViewProp(colour_bar(part.GetMapper().GetLookupTable(), TITLES.get(field, field.replace("_", " ")), height))
    line = int(0.045 * height)
    renderer.AddViewProp(text(options.title or os.path.basename(options.result), line, height - line, int(0.032 * height), True))
    facts = f"{grid.GetNumberOfCells():,} cells, {grid.GetNumberOfPoints():,} points".replace(",", " ").replace("  ", ", ")
    if moved:
        facts += f"    largest displacement {largest:.3g}, drawn {scale:g} times larger" if scale else ""
    facts += f"    largest {TITLES.get(field, field)} {values[-1]:.4g}"
    renderer.AddViewProp(text(facts, line, height - 2 * line, int(0.022 * height)))

    shape.Update()
    camera = look(renderer, flat, options.view, shape.GetOutput(), width / height)
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
    window.AddRenderer(triad(camera, flat))
    window.Render()
    write(window, options.picture)


if __name__ == "__main__":
    main()
