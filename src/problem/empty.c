typedef int ritz_empty_problem;
