// The page “How it works”, in English: sections of a title and paragraphs.

export const about = {
  title: "How it works",
  states: "What the marks mean",
  sections: [
    {
      id: "steps",
      title: "From a text to a verdict",
      body: [
        "The text is split into sentences, and each sentence into claims: individual checkable assertions, worded so that they can be understood on their own. Questions, instructions and opinions stay visible but are not checked.",
        "For each claim, Factscope searches your documents, the web, or both. It reads the sources and selects the passages that match the claim best, with the sentences around them.",
        "A judge compares each claim with its passages and decides for each passage whether it supports the claim, contradicts it, or does neither. It must quote the words it relies on. If the quote is not in the passage, the judgement does not count.",
        "The judgements of its passages are combined into one verdict per claim, and the verdicts of its claims into one per sentence: one contradicted claim makes the sentence contradicted, or mixed if another claim is supported.",
      ],
    },
    {
      id: "numbers",
      title: "What each number means",
      body: [
        "Evidence in support: the share of passages that support the text, as in Facts&Evidence. All passages are pooled: each judged passage counts once, and irrelevant passages count against the text. “22 of 39 passages support the text” is 0.56.",
        "Claims supported: the share of judged claims that are supported. Undecided claims, and claims without evidence, count against the text.",
        "The interval shows how far chance alone could move the number. With few passages it is wide, and two texts whose intervals overlap may be equally good.",
        "Coverage is the share of claims that were judged at all. A failed call is never a verdict: it is shown as failed and can be retried.",
        "Thresholds turn a share into low, medium or high. The defaults are those of Facts&Evidence, 0.3 and 0.6; you can change them.",
        "Confidence is the judge’s own, as low, medium or high. A number that a model gives for itself is marked as self-reported: that is the least reliable kind.",
      ],
    },
    {
      id: "yours",
      title: "What you decide",
      body: [
        "You can exclude any passage, source, site or source category. Verdicts and scores update in your browser by the same rules as on the server; no model is called, and the original is always one click away.",
        "Passages with the same text as another are marked, and you can count them once.",
        "Your own verdict is shown beside the machine’s, with your name and reason. It does not change any score.",
        "When you edit the text, only changed sentences and sentences that refer to them are rechecked; you see the expected cost first.",
      ],
    },
    {
      id: "limits",
      title: "Limits",
      body: [
        "A verdict says what the evidence shows, not what is true. Sources can be wrong, out of date, or copied from each other.",
        "Most mistakes come from retrieval: the page that would settle a claim is not found or can’t be read. “No evidence” means that none was found, not that none exists.",
        "Models misread. Read the quote before the reason: a fluent reason for a wrong verdict is more misleading than no reason.",
        "Source categories are derived from host names and from what pages state about themselves. They are hints, not a judgement of quality.",
      ],
    },
    {
      id: "privacy",
      title: "Privacy",
      body: [
        "Factscope runs on your machine or on one of your organisation’s. It sends no telemetry and loads no fonts or scripts from other sites.",
        "The text and its claims go to the model that you choose, and search queries to the search engine that you choose. With the built-in judge and your own documents, nothing leaves the machine.",
        "The server stores checks until you delete them and shows them only to the browser that made them.",
        "Instructions in web pages that are aimed at AI models are marked and never followed.",
      ],
    },
  ],
};
