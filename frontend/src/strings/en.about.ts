// The page “How it works”, in English: sections of a title and paragraphs.

export const about = {
  title: "How it works",
  states: "What the marks mean",
  sections: [
    {
      id: "steps",
      title: "From a text to a verdict",
      body: [
        "The text is cut into sentences, and each sentence into claims: single statements that can be checked, worded so that they stand alone. Questions, orders and opinions are kept in view and not checked.",
        "For each claim evidence is sought, in your documents, on the web, or in both. The pages found are read; the passages that fit best are kept with the sentences around them.",
        "A judge reads each claim against its passages and says of each whether it supports the claim, contradicts it, or does neither. It must name the words it relies on. Where those words do not stand in the passage, its answer does not count.",
        "What the judge says of the passages is rolled up into one verdict on each claim, and the verdicts on its claims into that on the sentence: one contradicted claim makes the sentence contradicted, or mixed if another is supported.",
      ],
    },
    {
      id: "numbers",
      title: "What each number means",
      body: [
        "Share of evidence: supporting pieces of evidence out of all, as in Facts&Evidence. It is pooled: every passage that was judged counts once, and passages that do not bear on a claim count against it. “22 of 39 pieces of evidence support” is 0.56.",
        "Share of statements: supported statements out of all that were judged. Undecided ones, and those without evidence, count against the text.",
        "The interval says how far chance alone could move the number: with few pieces of evidence it is wide, and two texts whose intervals overlap may well be alike.",
        "Coverage says how many of the statements were judged at all. A failed call is never a verdict: it is shown as failed, and it can be retried.",
        "Thresholds turn a share into low, medium or high. They are those of Facts&Evidence, 0.3 and 0.6, until you move them.",
        "Confidence is the judge’s own, in three steps. A model that only states a number of itself is marked as self-reported: that is the least trusted kind.",
      ],
    },
    {
      id: "yours",
      title: "What you decide",
      body: [
        "You can leave out any passage, source, site or kind of source. Verdicts and scores are recounted in your browser by the same rules as on the server; no model is asked again, and the original is always one press away.",
        "Passages that say the same as another are pointed out, and you may count them once.",
        "Your own verdict stands beside the machine’s, with your name and reason. It changes no score.",
        "When you edit the text, only the sentences that change and those that lean on them are checked again; you see what that will cost before it starts.",
      ],
    },
    {
      id: "limits",
      title: "Limits",
      body: [
        "A verdict says what the evidence at hand says, not what is true. Sources may be wrong, out of date, or copied from each other.",
        "Most mistakes come from retrieval: the page that would settle a claim is not found, or can’t be read. “No evidence” means that none was found, not that there is none.",
        "Machines misread. Read the quote before the reason: a fluent reason for a wrong verdict misleads more than none.",
        "Kinds of sources are told from host names and what pages say of themselves. They are hints, not a judgement of quality.",
      ],
    },
    {
      id: "privacy",
      title: "Privacy",
      body: [
        "Factscope runs on your machine, or on one of your organisation. It reports to nobody: no counters, no fonts and no scripts from elsewhere.",
        "The text and its claims go to the model that you choose, and the queries to the search engine that you choose. With the built-in judge and your own documents nothing leaves the machine.",
        "Checks are kept by the server until you delete them, and are shown only to the browser that made them.",
        "Words in pages that try to give orders to a model are pointed out and never obeyed.",
      ],
    },
  ],
};
