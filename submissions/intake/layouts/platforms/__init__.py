"""One module for each layout that needs code of its own; a layout of names alone is a row of the registry."""
