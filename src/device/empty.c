typedef int ritz_empty_device;
