typedef int ritz_empty_space;
