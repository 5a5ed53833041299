"""Turn uploads into stored sources and documents.

batches           unpack a batch and store its submissions
documents         store each source once and fingerprint its document once
sandboxed         read and unpack in child processes
submission_times  estimate when submissions were handed in, from the times in their archive
"""
