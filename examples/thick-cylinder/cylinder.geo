// A wedge of 30 degrees of a thick cylinder, of which no face but the ends stands along an axis. Lengths in metres.
// Groups: "wall", "bore", "outside", the cuts "cut1" "cut2", the ends "bottom" "top".
inner = 0.1;
outer = 0.2;
low = 20 * Pi / 180;
high = 50 * Pi / 180;
Point(1) = {0, 0, 0};
Point(2) = {inner * Cos(low), inner * Sin(low), 0};
Point(3) = {outer * Cos(low), outer * Sin(low), 0};
Point(4) = {outer * Cos(high), outer * Sin(high), 0};
Point(5) = {inner * Cos(high), inner * Sin(high), 0};
Line(1) = {2, 3};
Circle(2) = {3, 1, 4};
Line(3) = {4, 5};
Circle(4) = {5, 1, 2};
Curve Loop(1) = {1, 2, 3, 4};
Plane Surface(1) = {1};
made[] = Extrude {0, 0, 0.02} { Surface{1}; };
Physical Volume("wall") = {made[1]};
Physical Surface("bottom") = {1};
Physical Surface("top") = {made[0]};
Physical Surface("cut1") = {made[2]};
Physical Surface("outside") = {made[3]};
Physical Surface("cut2") = {made[4]};
Physical Surface("bore") = {made[5]};
Mesh.MeshSizeMax = 0.012;
