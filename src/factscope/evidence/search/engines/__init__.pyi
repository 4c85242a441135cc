from .brave import BRAVE as BRAVE
from .searxng import SEARXNG as SEARXNG
from .serper import SERPER as SERPER
from .tavily import TAVILY as TAVILY
from .wikipedia import WIKIPEDIA as WIKIPEDIA
