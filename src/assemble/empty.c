typedef int ritz_empty_assemble;
