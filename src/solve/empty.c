typedef int ritz_empty_solve;
