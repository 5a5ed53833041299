"""Read students' bytes in child processes that can open nothing and may use little.

documents      read documents in a child that serves many of them, and check its answers
archives       unpack an upload in a child of its own
groupings      group an upload, or preview it, in a child, and check its answers
process        start, limit and end a child, as its parent sees it
child          the program of a child: its confinement and its messages
document_jobs  what a child that reads documents can do
archive_jobs   what a child that unpacks can do
grouping_jobs  what a child that groups can do
program        limit a process, which then becomes another program, such as git
"""
