"""Segments that are checked, and reasons why the others are not."""

from __future__ import annotations

import pytest

from factscope.claims import column_names, cut
from factscope.claims.text import segment
from factscope.core.records import Segment, Span
from factscope.evidence import write_query
from tests.lab.many_cases import try_all


def claim_of(text: str, kind: str = "sentence"):
    return cut(Segment.model_validate({"id": "s1", "span": Span(start=0, end=len(text)), "text": text, "kind": kind}))


@try_all(
    ("text", "reason"),
    [
        ("Have you been there?", "a question"),
        ("你去过那里吗？", "a question"),
        ("هل زرت المكان؟", "a question"),
        ("“Why is it closed?”", "a question"),
        ("(Is it true?)", "a question"),
        ("I think it is the finest bridge of all.", "an opinion"),
        ("Personally, I would prefer the old bridge.", "an opinion"),
        ("But honestly, I like the old one more.", "an opinion"),
        ("I strongly recommend the harbour museum.", "an opinion"),
        ("We believe that the old bridge is the finer one.", "an opinion"),
        ("In my opinion the bridge is too long.", "an opinion"),
        ("However, in my view, the bridge is too long.", "an opinion"),
        ("I'm sorry, but I cannot help with that.", "a remark about the answer"),
        ("Sorry, I can't help with that.", "a remark about the answer"),
        ("Sorry, but I don't know.", "a remark about the answer"),
        ("Sorry for the confusion!", "a remark about the answer"),
        ("No information about the colour is available in the context.", "a remark about the answer"),
        ("Unfortunately, I cannot open links.", "a remark about the answer"),
        ("I’m just an assistant and may be wrong.", "a remark about the answer"),
        ("As an AI language model, I have no feelings.", "a remark about the answer"),
        ("As a large language model trained by OpenAI, I have no feelings.", "a remark about the answer"),
        ("As an AI, my knowledge ends in 2023.", "a remark about the answer"),
        ("I hope this helps with your essay!", "a remark about the answer"),
        ("Let me know if you need more.", "a remark about the answer"),
        ("I can't browse the internet, but you can visit the website.", "a remark about the answer"),
        ("I'm sorry, but the provided context does not mention it; I cannot help.", "a remark about the answer"),
        ("I can't verify this, but here is what you need to know.", "a remark about the answer"),
        ("I cannot confirm that the bridge opened in 1931.", "a remark about the answer"),
        ("As an AI, I'm unable to say that the bridge opened in 1931.", "a remark about the answer"),
        ("Here are some facts about the town:", "a remark about the answer"),
        ("Here is what the documents say about your router.", "a remark about the answer"),
        ("Here's what the search results show:", "a remark about the answer"),
        ("Happy to help.", "a remark about the answer"),
        ("I hope this helps: happy reading!", "a remark about the answer"),
        ("Let me know if you need more: other details, longer texts.", "a remark about the answer"),
        ("I don't know.", "a remark about the answer"),
        ("I do not know who built it.", "a remark about the answer"),
        ("I'm not sure.", "a remark about the answer"),
        ("I did not find any information about the colour.", "a remark about the answer"),
        ("I don't have enough information to answer.", "a remark about the answer"),
        ("I have no information about the colour.", "a remark about the answer"),
        ("The provided context does not mention the colour.", "a remark about the answer"),
        ("Unfortunately, the context doesn’t contain that information.", "a remark about the answer"),
        ("The search results did not say who built it.", "a remark about the answer"),
        ("None of the documents provided mentions the colour.", "a remark about the answer"),
        ("The passages you provided do not specify the height.", "a remark about the answer"),
        ("The context does not mention that the bridge opened in 1931.", "a remark about the answer"),
        ("Based on the provided documents, I cannot answer this question.", "a remark about the answer"),
        ("There is no information about the colour in the documents.", "a remark about the answer"),
        ("There is no information in the provided context about the colour.", "a remark about the answer"),
        ("I apologize, but I cannot answer this question.", "a remark about the answer"),
        ("There is not enough information to answer the question.", "a remark about the answer"),
        ("The colour is not mentioned in the provided text.", "a remark about the answer"),
        ("The answer is not in the context.", "a remark about the answer"),
        ("The question cannot be answered from the context.", "a remark about the answer"),
        ("No answer found.", "a remark about the answer"),
        ("No relevant information was found in the search results.", "a remark about the answer"),
        ("Not enough information.", "a remark about the answer"),
        ("Insufficient information provided to answer.", "a remark about the answer"),
        ("If you have further questions, feel free to ask!", "a remark about the answer"),
        ("Please visit the town hall first.", "a request or advice"),
        ("Let's look at the numbers.", "a request or advice"),
        ("Make sure to book early.", "a request or advice"),
        ("Visit the old mill on a clear day.", "a request or advice"),
        ("Swim in the lake before breakfast, when it is still calm.", "a request or advice"),
        ("Make sure that your shoes are dry.", "a request or advice"),
        ("Book early.", "a request or advice"),
        ("Anyone who wants to see the seals should come in October.", "a request or advice"),
        ("Don't miss the sunset from the castle wall.", "a request or advice"),
        ("Do come and see for yourself.", "a request or advice"),
        ("Wear good shoes and bring water.", "a request or advice"),
        ("If you like birds, walk out to the marsh at dawn.", "a request or advice"),
        ("For the best view, climb the tower.", "a request or advice"),
        ("To reset the device, hold both buttons.", "a request or advice"),
        ("Let's say the rent is 500 euros.", "a request or advice"),
        ("Please see Table 2 for the figures.", "a request or advice"),
        ("Please send me two copies of the form.", "a request or advice"),
        ("Let me know; I can send more.", "a request or advice"),
        ("Be careful on the steps.", "a request or advice"),
        ("Consider hiring a guide.", "a request or advice"),
        ("Ask Mr Fry at the desk for the key.", "a request or advice"),
        ("Visit Oxford in May.", "a request or advice"),
        ("Leave your bags at the desk.", "a request or advice"),
        ("Leave at dawn, when the road is empty.", "a request or advice"),
        ("Read more on our website.", "a request or advice"),
        ("Tell your nurse if you are allergic to eggs before you are vaccinated.", "a request or advice"),
        ("The castle is a must.", "an opinion"),
        ("You should really try the cheese.", "a request or advice"),
        ("Everyone who enjoys history should see this exhibition.", "a request or advice"),
        ("It's worth getting up early for.", "a request or advice"),
        ("To my mind the plan makes sense.", "an opinion"),
        ("From my point of view the plan makes sense.", "an opinion"),
        ("Personally, I find the train slower.", "an opinion"),
        ("That struck me as odd.", "an opinion"),
        ("My favourite is the blue one.", "an opinion"),
        ("The view is breathtaking.", "an opinion"),
        ("It was a truly wonderful evening.", "an opinion"),
        ("What a view!", "an opinion"),
        ("The castle is well worth a visit.", "an opinion"),
        ("It's a sensible judgment, and a good reason to get every price in writing.", "an opinion"),
        ("This guide gives you an overview of the town.", "a remark about the answer"),
        ("Below is a short summary of the report.", "a remark about the answer"),
        ("Here are some facts about the town.", "a remark about the answer"),
        ("Here's what you need to know.", "a remark about the answer"),
        ("Here is how refunds work, based on the documents that you gave me:", "a remark about the answer"),
        ("Based on the two articles, here's what is known about the accident.", "a remark about the answer"),
        ("Sure, here's an overview of the rules:", "a remark about the answer"),
        ("Here's a side-by-side comparison of the two mills.", "a remark about the answer"),
        ("The main findings of the report are as follows:", "a remark about the answer"),
        ("I've summarized the key points for you below.", "a remark about the answer"),
        ("This answer is based solely on the documents provided.", "a remark about the answer"),
        ("If you tell me which mill you mean, I can be more specific.", "a remark about the answer"),
        ("If you'd like, I can also summarize the other documents!", "a remark about the answer"),
        ("Please note that this is not legal advice.", "a remark about the answer"),
        ("This summary does not constitute medical advice.", "a remark about the answer"),
        ("In this article, we look at the history of the bridge.", "a remark about the answer"),
        ("Here we explain how the bridge was built.", "a remark about the answer"),
        ("Below you will find a table of the fares.", "a remark about the answer"),
        ("Sorry for the delay, and I hope this helps.", "a remark about the answer"),
        ("It's worth noting down the number.", "a request or advice"),
        ("For households that drink a lot of cappuccino, I would personally go for the Duo.", "an opinion"),
        ("It would be nice to see the museum open longer.", "an opinion"),
        ("It would be wise to take photographs of every room.", "an opinion"),
        ("All in all, the valley is at its most beautiful in early summer.", "an opinion"),
        ("For small projects, this library is probably the nicest choice there is.", "an opinion"),
        ("Her house is well worth a detour, above all in early summer.", "an opinion"),
        ("If I were you, I'd take the early boat.", "an opinion"),
        ("In your place I would begin with the short course.", "an opinion"),
        ("Hardly any other museum makes the past feel so close.", "an opinion"),
        ("Few roads are as dull as this one.", "an opinion"),
        ("One can only hope that the mill finds a buyer.", "an opinion"),
        ("It's hard not to smile at these letters.", "an opinion"),
        ("All in all, this is a fair result.", "an opinion"),
        ("The tower is worth a climb for anyone who has good shoes.", "an opinion"),
        ("Her songs deserve to be much better known.", "an opinion"),
        ("If you're still unsure, I'd suggest asking the harbour office.", "an opinion"),
        ("When you visit in winter, it's best to bring a torch.", "a request or advice"),
        ("The walk can be warmly recommended.", "a request or advice"),
        ("Hello Petra, and thanks for asking about the museum's winter programme!", "a greeting or thanks"),
        ("Good news for everybody who lives by the river!", "a greeting or thanks"),
        ("Welcome back, Petra!", "a greeting or thanks"),
        ("Our thoughts are with the families.", "a greeting or thanks"),
        ("You asked for a short account of the meeting, so here it is.", "a remark about the answer"),
        ("The main results of the survey are summed up below.", "a remark about the answer"),
        ("This briefing sums up what the council decided.", "a remark about the answer"),
        ("Investors would do well to keep an eye on the loans.", "a request or advice"),
        ("Rent and return the bike on the same day.", "a request or advice"),
        ("Welcome to our little guide.", "a greeting or thanks"),
        ("Welcome to Green Bend, and congratulations on your new garden!", "a greeting or thanks"),
        ("Thank you for reading.", "a greeting or thanks"),
        ("thanks for reaching out!", "a greeting or thanks"),
        ("Many thanks to all our volunteers.", "a greeting or thanks"),
        ("Enjoy your stay!", "a greeting or thanks"),
        ("Visitor: Thank you!", "a greeting or thanks"),
        ("Guide: You are welcome, enjoy the crossing!", "a greeting or thanks"),
        ("Hello there!", "a greeting or thanks"),
        ("Dear readers,", "a greeting or thanks"),
        ("Nice one!", "too short to state anything"),
        ("***", "no words"),
        ("https://marlow.example/bridge?year=1931", "an address states nothing"),
        ("<https://marlow.example/1931>, www.marlow.example/2.", "an address states nothing"),
        ('[1]: https://marlow.example/1931 "The bridge at Marlow"', "an address states nothing"),
        ("https://marlow.example/1931 (accessed 4 March 2025).", "an address states nothing"),
        ("doi:10.1000/182", "an address states nothing"),
        ("ida.kern@marlow.example", "an address states nothing"),
        ("\ufeff", "no words"),
    ],
)
def test_sentences_no_evidence_could_decide_are_skipped_with_a_reason(text: str, reason: str) -> None:
    assert claim_of(text).skipped == reason


@pytest.mark.parametrize(("kind", "reason"), [("heading", "a heading states nothing"), ("code", "code")])
def test_headings_and_code_are_skipped(kind: str, reason: str) -> None:
    assert claim_of("The bridge opened in 1931", kind).skipped == reason


BODY = "It is visible from the Moon."


@try_all(
    "title",
    [
        "Castle Quill and Tamsin Orrell",
        "The Bridge at Marlow",
        "**The Ferry from Selby to Marlow**",
        "Vincent van Gogh",
        "THE OLD MILL",
        "St Brannoc's Church & Tower",
    ],
)
def test_a_title_in_plain_text_states_nothing(title: str) -> None:
    head, body = map(cut, segment(f"{title}\n\n{BODY}", "sentences"))
    assert (head.skipped, body.skipped) == ("a heading states nothing", None)


@try_all(
    "text",
    [
        f"Founded in 1931\n\n{BODY}",
        f"Founded in Marlow by Nuns\n\n{BODY}",
        f"Born in Marlow, Devon\n\n{BODY}",
        f"Born in Marlow or Selby\n\n{BODY}",
        f"- Castle Quill and Tamsin Orrell\n\n{BODY}",
        f"| Castle Quill and Tamsin Orrell | Marlow |\n\n{BODY}",
        f"Capital of France: Paris\n\n{BODY}",
        f"Paris, Capital of France\n\n{BODY}",
        f"Paris Is the Capital of France\n\n{BODY}",
        f"PARIS IS THE CAPITAL OF FRANCE\n\n{BODY}",
        f"Apple Buys the Mill\n\n{BODY}",
        f"Marie Curie Discovered Radium\n\n{BODY}",
        f"Tamsin Orrell Built Castle Quill\n\n{BODY}",
        f"Tamsin Orrell Left the Abbey\n\n{BODY}",
        f"Tamsin Orrell owns Castle Quill\n\n{BODY}",
        f"History of the bridge\n\n{BODY}",
        f"Castle Quill and Tamsin Orrell.\n\n{BODY}",
        f"Castle Quill\nand Tamsin Orrell\n\n{BODY}",
        f"Peter liebt Anna\n\n{BODY}",
        f"A Street in the Town of Marlow near Selby Abbey\n\n{BODY}",
        "Castle Quill and Tamsin Orrell",
        f"{BODY}\n\nCastle Quill and Tamsin Orrell",
    ],
)
def test_a_possible_statement_is_not_mistaken_for_a_title(text: str) -> None:
    assert [claim.text for claim in map(cut, segment(text, "sentences")) if claim.skipped] == []


@try_all(
    "text",
    [
        "The bridge opened in 1931.",
        "Opened 1931.",
        "東京タワーは1958年に完成した。",
        "Anna thinks that the bridge opened in 1931.",
        "The suggestion was made by the council in 1931; it was refused.",
        "The film 'Who Is Afraid?' opened in 1966.",
        "Remember the Titans is a film of 2000.",
        "What he said was never written down.",
        "The plan I believe in failed in 1931.".replace("I believe", "they believed"),
        "| Length | 212 m |",
        '"I Can\'t Get No Satisfaction" was released by the Rolling Stones in 1965.',
        "I Can't Get No Satisfaction was released by the Rolling Stones in 1965.",
        "The song “I love Paris” was written by Cole Porter in 1953.",
        "“I think, therefore I am” was written by Descartes in 1637.",
        "I Love New York was first shown in 2007.",
        "As an AI company, OpenAI was founded in 2015.",
        "As an AI assistant, Siri was launched by Apple in 2011.",
        "As a language model, GPT-3 has 175 billion parameters.",
        "Experts regard it as an AI model of the second kind.",
        "The letter of 1912 ends: I'm sorry that I cannot come.",
        "Let Me Know is a song of 2014.",
        "The manual says to let me know if it fails.",
        "Please Please Me was the first album of the Beatles.",
        "Please note that the bridge was opened in 1931.",
        "Let Us Now Praise Famous Men was published in 1941.",
        "Make sure you know that the bridge is closed in winter.",
        "Newton wrote that we feel the pull of the Moon twice a day.",
        "We feel the pull of the Moon twice a day.",
        "In our view of the night sky, Venus is brighter than any star.",
        "Most members, I believe, voted against the treaty in 1905.",
        "Edward Albee wrote “Who's Afraid of Virginia Woolf?”",
        "She asked: “Why?”",
        "“The bridge is closed;”",
        "Hello Radio began to broadcast in 1984.",
        "Visit numbers rose by 5 per cent in 2022.",
        "Rent and advance charges together come to 1,170 euros a month.",
        "Support and training are included in the price.",
        "Leave lapses on 31 December.",
        "Notice expires after six weeks.",
        "The mayor said that it would be wise to wait.",
        "The hotel is probably the best known in the country.",
        "The bank would do well to have paid 20 million.",
        "The coin is worth the 40 crowns that it cost.",
        "Book sales fell in Pelland.",
        "Use of the drug fell after 1990.",
        "Order was restored in 1848.",
        "Place names in the valley are of Vessian origin.",
        "Take That sold 45 million records.",
        "Walks along the pier are free.",
        "answer.txt: the text to check.",
        "Travel by train takes three hours.",
        "Exercise for thirty minutes a day lowers blood pressure.",
        "Study at the university lasts four years.",
        "Set in 1703, the novel tells of a fire.",
        "Run by volunteers, the museum opens on Sundays.",
        "Do Not Go Gentle Into That Good Night was written by Dylan Thomas.",
        "Let It Be was the last album of the Beatles.",
        "Ride the Lightning peaked at number 100.",
        "Season 2 of the show was made in Belvane.",
        "After the war, use of the harbour fell.",
        "To the north, rise the hills of Kesh.",
        "Visit the tower, which was built in 1712 by Tobias Harl.",
        "Try the eel; it has been smoked here since 1880.",
        "Keep in mind that the ferry does not run in winter.",
        "To reset the device, hold both buttons for ten seconds.",
        "Take two tablets every six hours.",
        "Take half a tablet twice a day.",
        "Wait an hour.",
        "Thanks largely to a grant, the museum was saved in 1950.",
        "Do not store it above 25 °C.",
        "Please keep the box until 14 June.",
        "Thanks to the new bridge, the trip takes ten minutes.",
        "Thank You for Smoking is a film of 2005.",
        "Opening hours: Happy Mondays play at nine.",
        "You are welcome to bring two dogs.",
        "Hello Kitty was created in 1974.",
        "Welcome to Quillhaven, a town of 5,000 people on the river Leam.",
        "Welcome to Quillhaven, and congratulations to the club, which won the cup in 2019.",
        "It would be 20 years before the bridge was rebuilt.",
        "This guide was printed in 1912.",
        "Here is where the treaty was signed.",
        "Below the castle runs the river Leam.",
        "It is worth 2 million crowns.",
        "The pier is beautiful and was built in 1891.",
        "It is the most beautiful village in Osmark according to a survey of 2019.",
        "The results were excellent.",
        "Anyone over 60 can travel free.",
        "Anyone who has forgotten a dose should take a double dose.",
        "You must be over 18 to enter.",
        "What a person eats affects sleep.",
        "I was born in Vellen in 1868.",
        "I could not find the height, but electric light came in 1957.",
        "I'm sorry, but I can't find the builder; electric light came in 1957.",
        "I can't verify this, but I can tell you that electric light came in 1957.",
        "Let me know if you need more, but the ferry links both towns.",
        "I can't give advice, but in general doctors advise to keep to two drinks.",
        "As an AI, I can say that electric light came in 1957.",
        "I'm sorry to say that the bridge closed in 1931.",
        "I hope this helps: electric light came in 1957.",
        "I hope this helps – electric light came in 1957.",
        "In this article, we show that smoking causes cancer.",
        "Thanks for asking; electric light came in 1957.",
        "Here are some facts about the town: it has 5,000 people.",
        "https://marlow.example是一个网站，成立于1931年。",
        "https://marlow.example (the bridge was closed in 1931)",
        "The provided context does not mention the colour, but the tower is 40 m high.",
        "The report does not mention the cost.",
        "The report does not mention the context.",
        "The source of the river does not lie in Marlow.",
        "The documents do not carry a signature.",
        "The sources do not mention her mother.",
        "None of the documents mentions the colour.",
        "There is no information about his youth in the archive.",
        "There is no evidence of life on Mars.",
        "There is no mention of the bridge in the documents of the abbey.",
        "His name is not mentioned in the documents of 1931.",
        "No answer was given by the council in 1931.",
        "No documents survive from that time.",
        "Not enough information reached the captain in time.",
        "The question cannot have been put before 1931.",
        "Personally owned firms pay less tax.",
        "Here is how Anna Weber crossed the lake in winter.",
        "Here is what the mayor said about the bridge: it would reopen in May.",
        "If you want a refund, I can say that it takes 14 days.",
        "Note that the council's legal advice was not followed.",
        "I have compiled a dictionary of 400 pages.",
        "The main results are the 40 new beds and the ward.",
        "It was a sad sign that the mill had been sold.",
        "That was a bad decision by Ann, who sold the mill.",
        "I'd asked the mayor, and he refused.",
        "Every summer, I would take the boat to Skerra.",
        "When I was a child, I would go to the mill.",
        "I'd read the letter before the trial began.",
        "Few towns are as old as Marlow.",
        "Hardly any other train runs so late.",
        "In your place of birth the register is kept by the parish.",
        "Few trains stop as the station is closed.",
        "Few people attended the opening.",
        "All in all, 340 people took part.",
        "All in all, the firm made a good 3 million.",
        "Good news came from the harbour: the ferry is back.",
        "Welcome centres are open until six.",
        "When you pay late, it's the landlord who decides.",
        "Wear parts such as the blades are covered for a year.",
        "Pass the test and you'll receive the card by post.",
        "Leave the key at the desk; leaving it in the door isn't allowed.",
        "After a flood nobody knows whether the road is safe, so look at the notice first.",
        "The results are listed by the clerk below the date.",
        "It's worth noting that the bridge was rebuilt after the war.",
        "It is also worth pointing out that the dam leaks.",
        "Here you find the remains of a Roman bath.",
        "Above you, the ceiling shows the Last Judgement.",
        "Below, we see the river Leam.",
        "This section provides that the tenant pays for repairs.",
        "This article gives every citizen the right to vote.",
        "Happy Days ran on ABC for eleven seasons.",
        "Take the bus, as the tower has no car park.",
        "Bring cash, since cards are not accepted.",
        "Write to ida.kern@marlow.example by 4 May.",
        "https://marlow.example is the address of the museum.",
        "Website: www.marlow.example",
    ],
)
def test_statements_are_not_skipped(text: str) -> None:
    assert claim_of(text).skipped is None


@try_all(
    "text",
    [
        "I could not find the height, but electric light came in 1957.",
        "I'm sorry, but I can't find the builder; electric light came in 1957.",
        "As an AI, I can say that electric light came in 1957.",
        "I can't verify this, but I can tell you that electric light came in 1957.",
        "Sorry for the confusion, electric light came in 1957.",
        "I apologize for the mistake, and electric light came in 1957.",
        "Thanks for the correction, electric light came in 1957.",
    ],
)
def test_a_statement_after_a_remark_is_judged_without_it(text: str) -> None:
    claim = claim_of(text)
    assert (claim.text, claim.standalone) == (text, "Electric light came in 1957.")


def test_a_claim_points_at_its_exact_words_and_reads_without_markup() -> None:
    text = "Intro.\n\n- The **Marlow** [bridge](https://x.example) opened in 1931.\n"
    claim = cut(segment(text, "sentences")[1])
    assert claim.text == "The Marlow bridge opened in 1931."
    assert claim.span is not None
    assert "**Marlow**" in claim.span.of(text)
    assert claim.alignment == "exact"


def test_a_dependent_claim_is_searched_with_the_names_of_another() -> None:
    claims = [cut(one) for one in segment("The Marlow Bridge opened in 1931. It has six arches.", "sentences")]
    assert claims[0].independent
    assert write_query(claims[0], []).text == claims[0].text
    query = write_query(claims[1], [claims[0]])
    assert not claims[1].independent
    assert query.text == "It has six arches. The Marlow Bridge"
    assert query.rationale is not None
    assert query.lender_id == "s1"
    assert write_query(claims[1], []).text == "It has six arches."


@try_all(
    ("text", "checked"),
    [
        ("~~It was built in 1999.~~ It was built in 1998.", ["It was built in 1998."]),
        ("~~It was built in 1999. It is red.~~ It was built in 1998.", ["It was built in 1998."]),
        ("It was built in ~~1999~~ 1998.", ["It was built in 1998."]),
        ("It was built in <del>1999</del><ins>1998</ins>.", ["It was built in 1998."]),
        ("- ~~The tower is red~~.\n- The tower is 5 m high.", ["The tower is 5 m high."]),
        ("The tower is ~~red. The roof is~~ 5 m high.", ["The tower is 5 m high."]),
        ("It is ~~5 m long and ~~3 m wide.", ["It is ~~5 m long and ~~3 m wide."]),
        ("It costs ~~ 5 euros, or ~~ 6 dollars.", ["It costs ~~ 5 euros, or ~~ 6 dollars."]),
    ],
)
def test_text_struck_out_is_shown_but_makes_no_claim(text: str, checked: list[str]) -> None:
    claims = [cut(piece) for piece in segment(text, "sentences")]
    assert [claim.standalone for claim in claims if claim.skipped is None] == checked
    assert {claim.skipped for claim in claims} <= {None, "struck out"}


@try_all(
    ("line", "kind"),
    [
        ("**Setting it up**", "heading"),
        ("**Before the first use:**", "heading"),
        ("__Setting it up__", "heading"),
        ("**What happens next**", "heading"),
        ("**Why it matters:**", "heading"),
        ("**The bridge is closed**", "sentence"),
        ("**Capital: Paris**", "sentence"),
        ("Setting it up", "sentence"),
        ("What happens next", "sentence"),
    ],
)
def test_a_bold_line_without_a_verb_is_a_heading(line: str, kind: str) -> None:
    first, *_ = segment(f"{line}\n\nThe tower is 5 m high.", "sentences")
    assert (first.text, first.kind) == (line, kind)


def test_a_table_row_is_stated_with_its_column_names() -> None:
    text = "| | Velm 5 | **Duo** |\n|---|---|---|\n| Price | €9 | – |\n| Bad | row |\n\n| a | b 1 |\n|-|-|\n| c | 2 |"
    segments = segment(text, "sentences")
    names = column_names(segments)
    stated = [cut(each, names.get(each.id, ())).standalone for each in segments if each.kind == "table_row"]
    assert stated == ["Price; Velm 5: €9", "Bad, row", "a, b 1", "c, 2"]
