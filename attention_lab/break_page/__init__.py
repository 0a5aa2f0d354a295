"""The page of a break: a healthy and a broken model, examined side by side."""
