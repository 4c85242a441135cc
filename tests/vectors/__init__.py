"""States of reports, and what scoring them gives, that Python and the page are both held to."""
