"""The tools of the domains: shared toolsets, and one module or package a domain."""
