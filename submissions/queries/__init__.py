"""All database reads of the pages, a module for each kind of thing that is read."""
