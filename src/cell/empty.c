typedef int ritz_empty_cell;
