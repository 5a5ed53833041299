"""Layouts: how a platform names what students handed in. One row of one registry for each.

listing   the files of an upload, with the bytes of small metadata files
places    what a layout says of a file: whose work it is, or why it is no student's
matching  find names of a layout at any of the first folders of a path
fields    names of people, times and records in the forms that platforms write
platforms the layouts that need code of their own
registry  all layouts, and which of them fits a listing
"""
