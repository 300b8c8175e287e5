typedef int ritz_empty_matrix;
