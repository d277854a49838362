// Nothing is called by name: the functions take the place of those of the C library and of Swift's runtime.
