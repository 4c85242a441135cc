from .card import card_result as card_result
from .trial import RECORD as RECORD
from .trial import Promise as Promise
from .trial import TrialCard as TrialCard
from .trial import TrialRow as TrialRow
from .trial import laboratory as laboratory
from .trial import read_promises as read_promises
from .trial import try_promises as try_promises
