typedef int ritz_empty_output;
