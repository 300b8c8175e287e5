// An angle bracket with a gusset, for Gmsh's OpenCASCADE factory. Lengths in metres.
//
//        x0        The upright stands on the base along the edge x = 0. A fillet joins the two, a gusset stiffens them.
//      +--+        Two bolts hold the base down. A boss around the hole of the upright carries the load.
//    +-|  |
//    | |  |\       Groups: "body"  the material
//    +-|  | \              "bolts" the walls of the two bolt holes
//      |  |  \_            "face"  the flat ring of the boss
//      |  |____\_____
//      |_____________|  z0

SetFactory("OpenCASCADE");
mm = 1e-3;

width = 70 * mm;      // along y
base = 100 * mm;      // length of the base along x
height = 95 * mm;     // of the upright along z
thick = 10 * mm;      // of both plates
fillet = 8 * mm;      // radius in the inner corner
corner = 15 * mm;     // radius of the four outer corners
bolt = 4.5 * mm;      // radius of the bolt holes
bolt_x = 72 * mm;     // position of the bolt holes
bolt_y = 20 * mm;     // their distance from the middle of the part
bore = 10 * mm;       // radius of the hole in the upright
bore_z = 62 * mm;     // its height
boss = 17 * mm;       // outer radius of the boss
boss_height = 4 * mm;
gusset = 8 * mm;      // thickness
gusset_x = 50 * mm;   // reach along the base
gusset_z = 38 * mm;   // reach along the upright

// The profile of the two plates with the fillet, drawn at y = 0 and extruded along y.
Point(1) = {0, 0, 0};
Point(2) = {base, 0, 0};
Point(3) = {base, 0, thick};
Point(4) = {thick + fillet, 0, thick};
Point(5) = {thick + fillet, 0, thick + fillet};
Point(6) = {thick, 0, thick + fillet};
Point(7) = {thick, 0, height};
Point(8) = {0, 0, height};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Circle(4) = {4, 5, 6};
Line(5) = {6, 7};
Line(6) = {7, 8};
Line(7) = {8, 1};
Curve Loop(1) = {1:7};
Plane Surface(1) = {1};
profile[] = Extrude {0, width, 0} { Surface{1}; };
plates = profile[1];

// Round the free corners: intersect with a rounded slab for each plate.
Rectangle(100) = {-base, 0, 0, 2 * base, width, corner};
Rectangle(101) = {-height, 0, 0, 2 * height, width, corner};
Rotate {{0, 1, 0}, {0, 0, 0}, Pi / 2} { Surface{101}; }
rounded_base[] = Extrude {0, 0, height} { Surface{100}; };
rounded_upright[] = Extrude {base, 0, 0} { Surface{101}; };
rounded() = BooleanIntersection{ Volume{plates}; Delete; }{ Volume{rounded_base[1]}; Delete; };
rounded() = BooleanIntersection{ Volume{rounded()}; Delete; }{ Volume{rounded_upright[1]}; Delete; };

// The gusset, in the middle, sunk a little into both plates so that the union has no sliver faces.
sink = thick / 2;
Point(201) = {sink, (width - gusset) / 2, sink};
Point(202) = {thick + gusset_x, (width - gusset) / 2, sink};
Point(203) = {thick + gusset_x, (width - gusset) / 2, thick + 2 * mm};
Point(204) = {thick + 2 * mm, (width - gusset) / 2, thick + gusset_z};
Point(205) = {sink, (width - gusset) / 2, thick + gusset_z};
Line(201) = {201, 202};
Line(202) = {202, 203};
Line(203) = {203, 204};
Line(204) = {204, 205};
Line(205) = {205, 201};
Curve Loop(200) = {201:205};
Plane Surface(200) = {200};
rib[] = Extrude {0, gusset, 0} { Surface{200}; };

Cylinder(1000) = {-boss_height, width / 2, bore_z, boss_height + thick / 2, 0, 0, boss};
whole() = BooleanUnion{ Volume{rounded()}; Delete; }{ Volume{rib[1], 1000}; Delete; };

Cylinder(1001) = {-boss_height - mm, width / 2, bore_z, boss_height + thick + 2 * mm, 0, 0, bore};
Cylinder(1002) = {bolt_x, width / 2 - bolt_y, -mm, 0, 0, thick + 2 * mm, bolt};
Cylinder(1003) = {bolt_x, width / 2 + bolt_y, -mm, 0, 0, thick + 2 * mm, bolt};
part() = BooleanDifference{ Volume{whole()}; Delete; }{ Volume{1001, 1002, 1003}; Delete; };

// Groups, found by where the surfaces lie.
e = 0.1 * mm;
bolts() = Surface In BoundingBox{bolt_x - bolt - e, 0, -e, bolt_x + bolt + e, width, thick + e};
face() = Surface In BoundingBox{-boss_height - e, 0, 0, -boss_height + e, width, height};
Physical Volume("body") = {part()};
Physical Surface("bolts") = {bolts()};
Physical Surface("face") = {face()};

Mesh.MeshSizeMax = 5.0 * mm;
Mesh.MeshSizeFromCurvature = 24;  // elements along a full circle: fillet and holes
Mesh.MeshSizeMin = 1 * mm;
Mesh.ElementOrder = 2;
