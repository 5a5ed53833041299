"""From an upload to stored sources and documents.

batches           unpack a batch and store its submissions
documents         store each source once, and fingerprint its document once
submission_times  when something was handed in, by the times in its archive
"""
