// NAFEMS LE1: a quarter of an elliptic membrane. Lengths in metres. Mapped quads of second order, so that the curved edges
// are followed.
//
//   B +--._                Inner ellipse  (x / 2)^2    + y^2          = 1
//     |     `-.            Outer ellipse  (x / 3.25)^2 + (y / 2.75)^2 = 1
//   A +-.      \           Groups: "membrane", the edges "AB" "BC" "CD" "DA", the point "D"
//       `\      |
//         +-----+
//         D     C
n_along = 20;    // cells along the ellipses
n_across = 12;   // cells between them
grading = 1.2;   // from cell to cell: narrower towards the inner ellipse
along = 1.1;     // from cell to cell: shorter towards C and D

Point(1) = {0, 1, 0};     // A
Point(2) = {0, 2.75, 0};  // B
Point(3) = {3.25, 0, 0};  // C
Point(4) = {2, 0, 0};     // D
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

Physical Surface("membrane") = {1};
Physical Curve("AB") = {1};
Physical Curve("BC") = {2};
Physical Curve("CD") = {3};
Physical Curve("DA") = {4};
Physical Point("D") = {4};
Mesh.ElementOrder = 2;
