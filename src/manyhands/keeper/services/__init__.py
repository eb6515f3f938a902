"""The services of a session: started, looked after and stopped by its keeper."""
