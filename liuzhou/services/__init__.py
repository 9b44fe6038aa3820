"""The embedded servers: a real PostgreSQL and a real Valkey from Python wheels, under one directory, also as root."""
