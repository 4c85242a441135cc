from .lines import KIND_WORDS as KIND_WORDS
from .lines import STATE_WORDS as STATE_WORDS
from .lines import message_of as message_of
from .lines import problem_lines as problem_lines
from .overview import citation_view as citation_view
