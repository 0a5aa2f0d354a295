"""Views: what a Result looks like on a terminal, as plain text, JSON, HTML and SVG. Only this folder knows rich."""
