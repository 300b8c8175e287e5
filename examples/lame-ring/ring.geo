// A quarter of a ring. Lengths in metres. Groups: "ring", the edges "bore", "outside", "cut_x" (y = 0), "cut_y" (x = 0).
inner = 0.01;
outer = 0.02;
n = 8;  // cells through the wall
Point(1) = {0, 0, 0};
Point(2) = {inner, 0, 0};
Point(3) = {outer, 0, 0};
Point(4) = {0, outer, 0};
Point(5) = {0, inner, 0};
Line(1) = {2, 3};
Circle(2) = {3, 1, 4};
Line(3) = {4, 5};
Circle(4) = {5, 1, 2};
Transfinite Curve{1, 3} = n + 1;
Transfinite Curve{2, 4} = 2 * n + 1;
Curve Loop(1) = {1, 2, 3, 4};
Plane Surface(1) = {1};
Transfinite Surface{1};
Recombine Surface{1};
Physical Surface("ring") = {1};
Physical Curve("bore") = {4};
Physical Curve("outside") = {2};
Physical Curve("cut_x") = {1};
Physical Curve("cut_y") = {3};
