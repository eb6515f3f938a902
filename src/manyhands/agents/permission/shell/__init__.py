"""What a shell command would do: read by a real parser, judged by tables, to the careful side."""
