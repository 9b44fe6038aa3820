"""The naive design to measure against: an ORM transaction per action, the core channel layer once per socket."""
