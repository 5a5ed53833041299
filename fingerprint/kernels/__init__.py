"""Functions that are compiled to machine code, before they are called: one library for all processes.

`registry` has the decorators, `building` and `compiler` compile what they mark, `library` and `calls` let
Python call it, `files` knows where it is.
"""
