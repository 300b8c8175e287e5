// A quarter of a flat disc with a hole. Lengths in metres. Groups: "disc", "bore", "rim", the cuts "cut_x" (y = 0), "cut_y"
// (x = 0), the faces "back" (z = 0), "front".
inner = 0.05;
outer = 0.2;
Point(1) = {0, 0, 0};
Point(2) = {inner, 0, 0};
Point(3) = {outer, 0, 0};
Point(4) = {0, outer, 0};
Point(5) = {0, inner, 0};
Line(1) = {2, 3};
Circle(2) = {3, 1, 4};
Line(3) = {4, 5};
Circle(4) = {5, 1, 2};
Transfinite Curve{1, 3} = 13;
Transfinite Curve{2, 4} = 17;
Curve Loop(1) = {1, 2, 3, 4};
Plane Surface(1) = {1};
Transfinite Surface{1};
Recombine Surface{1};
made[] = Extrude {0, 0, 0.01} { Surface{1}; Layers{1}; Recombine; };
Physical Volume("disc") = {made[1]};
Physical Surface("back") = {1};
Physical Surface("front") = {made[0]};
Physical Surface("cut_x") = {made[2]};
Physical Surface("rim") = {made[3]};
Physical Surface("cut_y") = {made[4]};
Physical Surface("bore") = {made[5]};
