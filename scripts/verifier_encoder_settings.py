"""Settings of the cross-encoder's training, apart from torch so that the card can name them."""

LONGEST = 160
"""Word pieces of a pair in training; a longer passage is cut."""
SIZE = 48
"""Pairs of a step."""
WARM_UP = 0.08
"""Share of the steps in which the rate rises."""
SMOOTHING = 0.05
"""Label smoothing."""
HEAD_FASTER = 5.0
"""The head is new, so it learns faster than the encoder by this factor."""
UNSEEN = ("feverous", "begin")
"""Never trained on, so that figures on them are of sets of another kind; word overlap nearly solves both."""
TRANSFER = ("fm2", "scifact")
"""Left out of the pass `without`, so that there are figures on them too."""
RATE = {"made": 1.5e-4, "without": 1.2e-4, "again": 8e-5, "all": 8e-5, "more": 1.2e-4}
"""The passes in order, and the learning rate of each."""
BEFORE = {"without": "made", "again": "without", "all": "again", "more": "again"}
"""From the weights of which pass each but the first begins."""
SHIPPED = ("all", "more")
"""The passes whose weights are averaged (Wortsman et al. 2022, section 2: a soup of models with one beginning)."""
MADE = {
    "fm2": 2400,
    "factcheck_stance": 2400,
    "scifact": 1600,
    "fever_symmetric": 900,
    "conjnli": 3200,
    "cad_nli": 1500,
    "halueval_general": 2400,
    "factscore": 3200,
}
"""Pairs made by rule of the passages of each set, in the first pass."""
_SMALL = {"fm2": 2, "scifact": 2, "fever_symmetric": 2, "factcheck_stance": 1, "cad_nli": 1, "conjnli": 1}
TIMES = {
    "without": {"fm2": 0, "scifact": 0, "fever_symmetric": 3, "factcheck_stance": 1, "cad_nli": 1, "conjnli": 1},
    "again": _SMALL,
    "all": _SMALL,
    "more": {**_SMALL, "fm2": 3, "scifact": 3, "fever_symmetric": 3},
}
"""How often a set's labelled pairs are shown in each of the other passes."""
CAPS = {
    "without": {"conjnli": 5000},
    "again": {"conjnli": 2000, "cad_nli": 4000, "factcheck_stance": 1500},
    "all": {"conjnli": 6000},
    "more": {"conjnli": 6000},
}
"""Pairs of a set at most. Word overlap settles most of conjnli, so a part of it is enough."""
EASY = {"without": 1200, "again": 600, "all": 1000, "more": 1000}
"""Off-topic and silent pairs among them."""
FITTED_ON = ("fm2", "fever_symmetric", "factcheck_stance", "cad_nli", "conjnli", "begin")
"""Sets whose held-out rows scale and threshold are fitted on; no row of scifact or feverous, nor the rest of begin."""
