"""`cascade`: the built-in verifier first, a language model only where that is unsure or sees a contradiction.

Sentences and evidence as in `builtin`, the model's question as in `standard`: calls are spent on doubtful claims alone.
"""

from factscope.methods import Cascade
from factscope.methods.library.builtin import BUILTIN
from factscope.methods.library.standard import JUDGE

CASCADE = BUILTIN.model_copy(
    update={
        "name": "cascade",
        "title": "The built-in verifier first, a language model only where it is unsure or sees a contradiction",
        "judge": Cascade(judge=JUDGE),
    }
)
