from .citation_problems import SERIOUS as SERIOUS
from .citation_problems import citation_problems as citation_problems
from .citation_problems import needs_source as needs_source
from .counting import citation_counts as citation_counts
from .pairs import CitedPair as CitedPair
from .pairs import cited_pairs as cited_pairs
