typedef int ritz_empty_mesh;
