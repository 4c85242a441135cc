// The states of a sentence. Written by scripts/page_types.py from `factscope.report.states`; do not change it by hand.

export const OUTCOMES = ["supported", "contradicted", "undecided", "no_evidence", "not_checkable", "excluded", "failed"] as const;

/** Outcomes, the one that decides over all others first. */
export const WORST_FIRST = ["contradicted", "failed", "undecided", "no_evidence", "supported", "excluded", "not_checkable"] as const;

export const STATES = ["supported", "mostly", "mixed", "contradicted", "undecided", "no_evidence", "failed", "excluded", "not_checkable"] as const;
export type State = (typeof STATES)[number];

/** States that need review, worst first. */
export const PROBLEMS: readonly State[] = ["contradicted", "mixed", "failed", "undecided", "no_evidence"];

export const STATE_GLYPHS: Record<State, string> = {
  supported: "✓",
  mostly: "≃",
  mixed: "⇄",
  contradicted: "✗",
  undecided: "?",
  no_evidence: "∅",
  failed: "!",
  excluded: "⊘",
  not_checkable: "⋯",
};

/** In English. */
export const STATE_WORDS: Record<State, { word: string; meaning: string }> = {
  supported: { word: "supported", meaning: "the evidence supports it" },
  mostly: { word: "mostly supported", meaning: "the evidence supports more than half of it and contradicts none" },
  mixed: { word: "mixed", meaning: "some of it is supported and some of it contradicted" },
  contradicted: { word: "contradicted", meaning: "the evidence contradicts it" },
  undecided: { word: "undecided", meaning: "the evidence does not settle it" },
  no_evidence: { word: "no evidence", meaning: "no relevant evidence was found" },
  failed: { word: "failed", meaning: "an error occurred, so there is no verdict" },
  excluded: { word: "excluded", meaning: "all of its evidence was excluded by a person" },
  not_checkable: { word: "not checkable", meaning: "it makes no claim that can be checked" },
};
