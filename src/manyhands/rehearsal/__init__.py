"""The scripted model: real agents run against it with no key and no network."""
