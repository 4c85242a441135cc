from .planning import ReusePlan as ReusePlan
from .planning import method_of as method_of
from .planning import plan as plan
from .recheck import carried as carried
from .recheck import must_match as must_match
from .recheck import passages_now as passages_now
from .recheck import recheck as recheck
from .recheck import seed as seed
