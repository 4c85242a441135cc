"""`cascade`: the built-in verifier first, a language model only where it is unsure or finds a contradiction.

Sentences and evidence are those of `builtin`, the question to the model is that of `standard`, so that calls are spent
only on doubtful claims.
"""

from factscope.methods import Cascade, Method
from factscope.methods.method_catalogue import method_named, register_method


def _cascade() -> Method:
    return method_named("builtin").model_copy(
        update={
            "name": "cascade",
            "title": "The built-in verifier first, a language model only where it is unsure or sees a contradiction",
            "judge": Cascade.model_validate({"judge": method_named("standard").judge}),
        }
    )


register_method("cascade", _cascade)
