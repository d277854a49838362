// Nothing is called by name: the functions replace those of the C library.
