from .facts_grounding import PANELS as PANELS
from .facts_grounding import TEMPLATES as TEMPLATES
from .facts_grounding import with_judges as with_judges
from .felm_published import published as published
