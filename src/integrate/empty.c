typedef int ritz_empty_integrate;
