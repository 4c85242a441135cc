from .derivable import underivable as underivable
from .rules import CERTAIN as CERTAIN
from .rules import ONLY_CLAIMED as ONLY_CLAIMED
from .rules import apply_rules as apply_rules
from .rules import is_ruled as is_ruled
from .verbatim import find_number_change as find_number_change
from .verbatim import find_statement as find_statement
