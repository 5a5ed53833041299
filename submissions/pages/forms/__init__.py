"""What a person may type or upload, and the message when it is refused."""
