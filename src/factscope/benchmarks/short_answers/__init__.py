"""Short answers: SimpleQA Verified, SimpleQA, FACTS Parametric and FACTS Search, graded against one correct answer."""
