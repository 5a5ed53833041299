"""Layouts: how platforms name the files that students handed in. Each layout is a row of one registry.

registry   all layouts, and which of them fits an upload
fields     the names that a layout gives in paths; names of people, times and records of platforms
places     whose work a file is by its layout, or why it is no student's
platforms  the layouts that need code of their own
"""
