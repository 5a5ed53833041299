"""Read students' bytes in child processes that can open nothing and may use little.

documents         read documents in a child that serves many of them
document_answers  check what that child answers
archives          unpack an upload in a child of its own
groupings         group an upload, or preview it, in a child
grouping_answers  check what that child answers
reused            a child that does many jobs
process           start, limit and end a child
child             the program of a child; document_jobs, archive_jobs and grouping_jobs are what it can do
program           limit a process, which then becomes another program, such as git
confinement       what a child gives up before it reads anything
landlock          the kernel's rules for a process that gives up files, network and signals
frames            the messages between a process and its child
syntax_spans      the parts of a text that pages colour
"""
