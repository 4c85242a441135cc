from .lines import message_of as message_of
from .lines import problem_lines as problem_lines
