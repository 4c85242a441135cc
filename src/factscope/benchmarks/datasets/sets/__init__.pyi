from .claim_sets import attribution as attribution
from .claim_sets import citations as citations
from .fava_set import KINDS as KINDS
from .fava_set import TaggedError as TaggedError
from .fava_set import read_tags as read_tags
from .fava_set import wrong_sentences as wrong_sentences
