from .claim_measures import factual_precision as factual_precision
from .claim_measures import hallucination as hallucination
