"""Layouts: how a platform names what students handed in. One module a layout, one entry in one registry.

listing   the files of an upload, with the bytes of small metadata files
places    what a layout says of a file: whose work it is, or why it is no student's
matching  find names of a layout at any of the first folders of a path
fields    names of people, times and records in the forms that platforms write
registry  all layouts, and which of them fits a listing
"""
