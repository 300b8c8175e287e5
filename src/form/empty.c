typedef int ritz_empty_form;
