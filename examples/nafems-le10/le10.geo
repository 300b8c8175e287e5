// NAFEMS LE10: a quarter of a thick elliptic plate, 0.6 m thick. Lengths in metres. Mapped hexes of second order.
//
//   B +--._                Inner ellipse  (x / 2)^2    + y^2          = 1
//     |     `-.            Outer ellipse  (x / 3.25)^2 + (y / 2.75)^2 = 1
//   A +-.      \           Groups: "plate", the upright faces "AB" "BC" "CD" "DA", the loaded face "top",
//       `\      |                  the edge "EE" half way up BC, the point "D" of the upper face
//         +-----+
//         D     C
n_along = 16;    // cells along the ellipses
n_across = 8;   // cells between them
n_half = 4;      // cells in each half of the thickness
grading = 1.2;   // from cell to cell: narrower towards the inner ellipse
along = 1.1;     // from cell to cell: shorter towards C and D
half = 0.3;

Point(1) = {0, 1, 0};     // A'
Point(2) = {0, 2.75, 0};  // B'
Point(3) = {3.25, 0, 0};  // C'
Point(4) = {2, 0, 0};     // D'
Point(5) = {0, 0, 0};     // centre of both ellipses
Line(1) = {1, 2};
Ellipse(2) = {2, 5, 3, 3};
Line(3) = {3, 4};
Ellipse(4) = {4, 5, 4, 1};
Curve Loop(1) = {1, 2, 3, 4};
Plane Surface(1) = {-1};

Transfinite Curve{1} = n_across + 1 Using Progression grading;
Transfinite Curve{3} = n_across + 1 Using Progression 1 / grading;
Transfinite Curve{2} = n_along + 1 Using Progression 1 / along;
Transfinite Curve{4} = n_along + 1 Using Progression along;
Transfinite Surface{1} = {1, 2, 3, 4};
Recombine Surface{1};

lower[] = Extrude {0, 0, half} { Surface{1}; Layers{n_half}; Recombine; };
upper[] = Extrude {0, 0, half} { Surface{lower[0]}; Layers{n_half}; Recombine; };

e = 1e-6;
ab() = Surface In BoundingBox{-e, -e, -e, e, 4, 1};
cd() = Surface In BoundingBox{-e, -e, -e, 4, e, 1};
top() = Surface In BoundingBox{-e, -e, 2 * half - e, 4, 4, 2 * half + e};
da() = Surface In BoundingBox{-e, -e, -e, 2 + e, 1 + e, 1};
da() -= {ab(), cd()};
bc() = Surface In BoundingBox{-e, -e, -e, 4, 4, 1};
bottom() = Surface In BoundingBox{-e, -e, -e, 4, 4, e};
middle() = Surface In BoundingBox{-e, -e, half - e, 4, 4, half + e};
bc() -= {ab(), cd(), da(), top(), bottom(), middle()};
rim() = Curve In BoundingBox{-e, -e, half - e, 4, 4, half + e};
inner() = Curve In BoundingBox{-e, -e, half - e, 2 + e, 1 + e, half + e};
straight_x() = Curve In BoundingBox{-e, -e, half - e, 4, e, half + e};
straight_y() = Curve In BoundingBox{-e, -e, half - e, e, 4, half + e};
rim() -= {inner(), straight_x(), straight_y()};
d() = Point In BoundingBox{2 - e, -e, 2 * half - e, 2 + e, e, 2 * half + e};

Physical Volume("plate") = {lower[1], upper[1]};
Physical Surface("AB") = {ab()};
Physical Surface("BC") = {bc()};
Physical Surface("CD") = {cd()};
Physical Surface("DA") = {da()};
Physical Surface("top") = {top()};
Physical Curve("EE") = {rim()};
Physical Point("D") = {d()};
Mesh.ElementOrder = 2;
