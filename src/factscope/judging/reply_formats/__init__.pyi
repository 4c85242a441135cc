from .wrong_ids import CUT_OFF as CUT_OFF
from .wrong_ids import NO_ANSWER as NO_ANSWER
