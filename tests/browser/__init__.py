"""The page in a real browser: Chromium, driven by Playwright, against a real server and the laboratory's models."""
