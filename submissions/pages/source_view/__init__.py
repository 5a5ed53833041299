"""Two submissions side by side: sources as HTML, with their passages and the tokens written differently."""
