from .cells import PaperCell as PaperCell
from .cells import figure as figure
from .cells import paper_cell as paper_cell
from .cells import percent as percent
from .cells import rounded as rounded
from .cells import summaries as summaries
from .cells import table as table
