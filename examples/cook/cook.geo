// Cook's membrane: a tapered, swept panel. No units. Mapped quads.
//
//          _,-+ (48, 60)    Groups: "panel", the edges "root" and "tip"
//   (0,44)+   |
//         |   + (48, 44)
//         | ,'
//   (0, 0)+
n = 16;  // cells along each side
Point(1) = {0, 0, 0};
Point(2) = {48, 44, 0};
Point(3) = {48, 60, 0};
Point(4) = {0, 44, 0};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 1};
Curve Loop(1) = {1:4};
Plane Surface(1) = {1};
Transfinite Curve{1:4} = n + 1;
Transfinite Surface{1};
Recombine Surface{1};
Physical Surface("panel") = {1};
Physical Curve("root") = {4};
Physical Curve("tip") = {2};
