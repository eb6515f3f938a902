"""What there is to know: status, usage, the log, the config, the doctor."""
