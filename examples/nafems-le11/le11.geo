// NAFEMS LE11: half a section through a solid of revolution, x the radius, y the axis. Lengths in metres.
//
//    H +---+ I          Inner sphere of radius 1 from A to E, outer sphere of radius 1.4 from B to D,
//      |   |            the taper from D to G, cylinders above
//    K +---+ G          Groups: "section", the edges "low" (AB) and "high" (HI)
//      |    \
//    E +     \
//       \     + D
//      C +     \
//         |     |
//       A +-----+ B
n = 8; // cells along each side
Point(1) = {1, 0, 0};                              // A
Point(2) = {1.4, 0, 0};                            // B
Point(3) = {Cos(Pi / 8), Sin(Pi / 8), 0};          // C
Point(4) = {1.4 * Cos(Pi / 6), 0.7, 0};            // D
Point(5) = {Sqrt(0.5), Sqrt(0.5), 0};              // E
Point(6) = {(1.4 * Cos(Pi / 6) + 1) / 2, 1.045, 0}; // F, half way from D to G
Point(7) = {Sqrt(0.5), (Sqrt(0.5) + 1.79) / 2, 0}; // K
Point(8) = {1, 1.39, 0};                           // G
Point(9) = {Sqrt(0.5), 1.79, 0};                   // H
Point(10) = {1, 1.79, 0};                          // I
Point(11) = {0, 0, 0};                             // centre of both spheres
Line(1) = {1, 2};
Circle(2) = {2, 11, 4};
Line(3) = {4, 3};
Circle(4) = {3, 11, 1};
Line(5) = {4, 6};
Line(6) = {6, 5};
Circle(7) = {5, 11, 3};
Line(8) = {6, 8};
Line(9) = {8, 7};
Line(10) = {7, 5};
Line(11) = {8, 10};
Line(12) = {10, 9};
Line(13) = {9, 7};
Curve Loop(1) = {1, 2, 3, 4};
Curve Loop(2) = {-3, 5, 6, 7};
Curve Loop(3) = {-6, 8, 9, 10};
Curve Loop(4) = {-9, 11, 12, 13};
For s In {1 : 4}
  Plane Surface(s) = {s};
EndFor
Transfinite Curve{1 : 13} = n + 1;
Transfinite Surface{1 : 4};
Recombine Surface{1 : 4};
Physical Surface("section") = {1 : 4};
Physical Curve("low") = {1};
Physical Curve("high") = {12};
Mesh.ElementOrder = 2;
