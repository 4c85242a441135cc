"""Texts with the segments that a careful reader would make: a string is a sentence, a pair is a kind and a text."""

from __future__ import annotations

Expected = list[str | tuple[str, str]]

PROSE: list[tuple[str, Expected]] = [
    ("The cat sat. The dog ran! Did it rain?", ["The cat sat.", "The dog ran!", "Did it rain?"]),
    ("no capitals here. just text. ok", ["no capitals here.", "just text.", "ok"]),
    ("iPhone sales rose. iPad sales fell.", ["iPhone sales rose.", "iPad sales fell."]),
    ("  Padded text.  More.  ", ["Padded text.", "More."]),
    ("Line one wraps\nhere and ends. Next\none.", ["Line one wraps\nhere and ends.", "Next\none."]),
    ("Dr.\nSmith came. He left.", ["Dr.\nSmith came.", "He left."]),
    ("No full stop\n\nNext paragraph", ["No full stop", "Next paragraph"]),
    ("First one.\r\n\r\nNew para.\r\nSame block.", ["First one.", "New para.", "Same block."]),
    ("Soft\rwrap here.\r\rNew.", ["Soft\rwrap here.", "New."]),
    ("Page one ends.\fPage two begins.", ["Page one ends.", "Page two begins."]),
    ("#hashtag is here. Ok.", ["#hashtag is here.", "Ok."]),
    ("1.", ["1."]),
    ("#", []),
    ("*", []),
    (" \n\t\n", []),
    ("", []),
]
ABBREVIATIONS: list[tuple[str, Expected]] = [
    ("Dr. Smith met Mr. Jones. They spoke.", ["Dr. Smith met Mr. Jones.", "They spoke."]),
    ("Use fruit, e.g. apples. Or nuts, i.e. seeds.", ["Use fruit, e.g. apples.", "Or nuts, i.e. seeds."]),
    ("The pool opens on 1 May. A child swims free.", ["The pool opens on 1 May.", "A child swims free."]),
    ("In May I swam. It rained in May. I left.", ["In May I swam.", "It rained in May.", "I left."]),
    ("The U.S. economy grew. It did.", ["The U.S. economy grew.", "It did."]),
    ("He lives in the U.S. She does not.", ["He lives in the U.S.", "She does not."]),
    ("As Eq. 5 shows, it grows. See vol. 2 too.", ["As Eq. 5 shows, it grows.", "See vol. 2 too."]),
    ("It weighs approx. 2 kg. Fig. 3 shows it.", ["It weighs approx. 2 kg.", "Fig. 3 shows it."]),
    ("We use ASP.NET here. It works.", ["We use ASP.NET here.", "It works."]),
    ("No. 7 won the race. No. 9 lost.", ["No. 7 won the race.", "No. 9 lost."]),
    ("J. R. R. Tolkien wrote it. He died.", ["J. R. R. Tolkien wrote it.", "He died."]),
    ("J.K. Rowling met George W. Bush. So?", ["J.K. Rowling met George W. Bush.", "So?"]),
    ("They met at 5 p.m. in Rome. At 6 p.m. They left.", ["They met at 5 p.m. in Rome.", "At 6 p.m.", "They left."]),
    ("The firm (est. 1990) grew. It fell later.", ["The firm (est. 1990) grew.", "It fell later."]),
    ("See pp. 6-7 and p. 9. Then stop.", ["See pp. 6-7 and p. 9.", "Then stop."]),
    ("Ask Ms. Orr or Mx. Bell. They know.", ["Ask Ms. Orr or Mx. Bell.", "They know."]),
    ("He left Ft. Dorn. It rained.", ["He left Ft. Dorn.", "It rained."]),
    ("Figs. A and B are in Vol. II. Ch. IV is new.", ["Figs. A and B are in Vol. II.", "Ch. IV is new."]),
    ("It lasts approx. Ten days pass.", ["It lasts approx. Ten days pass."]),
    ("Prices (incl. VAT) are 18 euros. They rise.", ["Prices (incl. VAT) are 18 euros.", "They rise."]),
    ("It has six boats, excl. Marrow's, incl. 2 ferries.", ["It has six boats, excl. Marrow's, incl. 2 ferries."]),
    ("It appeared in Vol. The rest is lost.", ["It appeared in Vol.", "The rest is lost."]),
    ("Poems (eds. Orr and Bell), ed. Lindt. It sold.", ["Poems (eds. Orr and Bell), ed. Lindt.", "It sold."]),
    ("We teach phys. ed. Children like it.", ["We teach phys. ed.", "Children like it."]),
    ("Come at 9 a.m. Monday or 5 p.m. May 3. Bring tea.", ["Come at 9 a.m. Monday or 5 p.m. May 3.", "Bring tea."]),
    ("It shut at 6 p.m. Orr left.", ["It shut at 6 p.m.", "Orr left."]),
    (
        "It opened in May. Visitors came. They like art. Orr does.",
        ["It opened in May.", "Visitors came.", "They like art.", "Orr does."],
    ),
    (
        "It is 480 mm. Lindt said no. Show your ID. Tickets are free.",
        ["It is 480 mm.", "Lindt said no.", "Show your ID.", "Tickets are free."],
    ),
    ("It is in art. II. See no. B12 too.", ["It is in art. II.", "See no. B12 too."]),
]
NUMBERS: list[tuple[str, Expected]] = [
    ("It costs $3.50. Pi is 3.14.", ["It costs $3.50.", "Pi is 3.14."]),
    ("He scored 3. Then he left.", ["He scored 3.", "Then he left."]),
    ("It has its 50. Anniversary in May. All come.", ["It has its 50. Anniversary in May.", "All come."]),
    ("This is the 2. World War. It raged.", ["This is the 2. World War.", "It raged."]),
    ("It was hot in the 70. The town slept.", ["It was hot in the 70.", "The town slept."]),
    ("They gave it a 10. Critics did not.", ["They gave it a 10.", "Critics did not."]),
    ("It was built in 1858.Electric light came.", ["It was built in 1858.", "Electric light came."]),
    ("The bridge is long.It opened in May.", ["The bridge is long.", "It opened in May."]),
    ("When did it open?It opened in May.", ["When did it open?", "It opened in May."]),
    ("He lacked vitamin C. Why did he die?", ["He lacked vitamin C.", "Why did he die?"]),
    ("It weighs 5 t. Is it heavy?", ["It weighs 5 t.", "Is it heavy?"]),
    ("It is 30 sq. m. The lake is deep.", ["It is 30 sq. m.", "The lake is deep."]),
    ("It has 12.The port has 3,500.75.In all it grew.", ["It has 12.", "The port has 3,500.75.", "In all it grew."]),
    ("Use v2020.Beta and 3.Alpha here.", ["Use v2020.Beta and 3.Alpha here."]),
    (
        "See img_2020.Final or a/2020.Final or 2020.Final.pdf.",
        ["See img_2020.Final or a/2020.Final or 2020.Final.pdf."],
    ),
    ("Go to https://a.b/2020.Final now, or J.Smith.", ["Go to https://a.b/2020.Final now, or J.Smith."]),
    ("Buy 1.Apples and 2.Pears.", ["Buy 1.Apples and 2.Pears."]),
    *(
        (f"Built in 1858.{invisible} Light came.", [f"Built in 1858.{invisible}", "Light came."])
        for invisible in "\u200b\u200e\u200f\ufeff\u061c\u2060\u202c\u2069"
    ),
    ("Built in 1858. \u2067Light came.\u2069 More.", ["Built in 1858.", "\u2067Light came.\u2069", "More."]),
    ("Built in 1858.\u200bLight came.", ["Built in 1858.\u200b", "Light came."]),
    ("Python 3.11.4 is out. Get it.", ["Python 3.11.4 is out.", "Get it."]),
    ("1998. It was a good year.", ["1998. It was a good year."]),
    ("5 * 3 = 15. 2 * 2 = 4.", ["5 * 3 = 15.", "2 * 2 = 4."]),
    ("Steps: 1. Mix it. 2. Bake it.", ["Steps: 1. Mix it.", "2. Bake it."]),
    (
        "The year was 1990.[1] The next was 1991.[2][3] End.",
        [
            "The year was 1990.[1]",
            "The next was 1991.[2][3]",
            "End.",
        ],
    ),
    ("A fact.¹ Another fact.[^n] Done.", ["A fact.¹", "Another fact.[^n]", "Done."]),
]
QUOTES: list[tuple[str, Expected]] = [
    ('"Stop!" he shouted. "Go now." She ran.', ['"Stop!" he shouted.', '"Go now."', "She ran."]),
    ("“It is done.” He left. ‘Why?’ she asked.", ["“It is done.”", "He left.", "‘Why?’ she asked."]),
    ("He left (late). (Nobody knew.) The end.", ["He left (late).", "(Nobody knew.)", "The end."]),
    ("Wait... what? He said… nothing. Ok.", ["Wait... what?", "He said… nothing.", "Ok."]),
    ("Really?! Wow!!! Fine.", ["Really?!", "Wow!!!", "Fine."]),
    ("This is **bold.** And *it.* Done.", ["This is **bold.**", "And *it.*", "Done."]),
    ("Yes. **No way.** “Quite.” End.", ["Yes.", "**No way.**", "“Quite.”", "End."]),
    ("Alice: Are you in?\nBob: Yes. I am.\nAlice: Good.", ["Alice: Are you in?", "Bob: Yes.", "I am.", "Alice: Good."]),
    ("— Hello, said he.\n— Bye.", ["— Hello, said he.", "— Bye."]),
    ("[10:32] Ann: hi there\n[10:33] Bo: hello", ["[10:32] Ann: hi there", "[10:33] Bo: hello"]),
    ("**Name:** Ada  \n**Born:** 1815", ["**Name:** Ada", "**Born:** 1815"]),
]
ADDRESSES_AND_EMOJI: list[tuple[str, Expected]] = [
    ("See https://a.org/x.html?q=1.2. Then go.", ["See https://a.org/x.html?q=1.2.", "Then go."]),
    ("Mail x@y.com. Or visit www.b.com. Done.", ["Mail x@y.com.", "Or visit www.b.com.", "Done."]),
    (
        "A [link](http://a.com/b.c_(d)) here. And ![pic](x.png). End.",
        [
            "A [link](http://a.com/b.c_(d)) here.",
            "And ![pic](x.png).",
            "End.",
        ],
    ),
    ("Use `a.b. C` now. Then stop.", ["Use `a.b. C` now.", "Then stop."]),
    ("Great 👩‍👩‍👧‍👦! 🎉 Next 🇩🇪. Done 👍🏽", ["Great 👩‍👩‍👧‍👦! 🎉", "Next 🇩🇪.", "Done 👍🏽"]),
    ("👍", ["👍"]),
]
LANGUAGES: list[tuple[str, Expected]] = [
    ("他说：“你好。”然后走了。再见！真的吗？", ["他说：“你好。”", "然后走了。", "再见！", "真的吗？"]),
    ("他说“走吧！”，然后走了。价格是3.5元。", ["他说“走吧！”，然后走了。", "价格是3.5元。"]),
    ("「すごい！」と彼は言った。次はA社です。", ["「すごい！」と彼は言った。", "次はA社です。"]),
    ("안녕하세요. 저는 학생입니다!", ["안녕하세요.", "저는 학생입니다!"]),
    ("هل هذا صحيح؟ نعم. انتهى۔ ثم", ["هل هذا صحيح؟", "نعم.", "انتهى۔", "ثم"]),
    ("מה שלומך? טוב. תודה!", ["מה שלומך?", "טוב.", "תודה!"]),
    ("नमस्ते। आप कैसे हैं? ठीक।", ["नमस्ते।", "आप कैसे हैं?", "ठीक।"]),
    (
        "Am 3. Oktober 1990 war es so. Der 2. Weltkrieg war das nicht. Es kostet 3,5 Euro.",
        [
            "Am 3. Oktober 1990 war es so.",
            "Der 2. Weltkrieg war das nicht.",
            "Es kostet 3,5 Euro.",
        ],
    ),
    ("Er sagte das, z. B. hier: „Nein.“ Dann ging er.", ["Er sagte das, z. B. hier: „Nein.“", "Dann ging er."]),
    ("Привет! В 1990 г. он уехал. А. С. Пушкин здесь.", ["Привет!", "В 1990 г. он уехал.", "А. С. Пушкин здесь."]),
    (
        "M. Dupont est là. C’est « bon. » Oui, le roi est mort.",
        [
            "M. Dupont est là.",
            "C’est « bon. »",
            "Oui, le roi est mort.",
        ],
    ),
    ("¿Cómo estás? ¡Bien! El Sr. López vino.", ["¿Cómo estás?", "¡Bien!", "El Sr. López vino."]),
    (
        "Мост построен в 1932 г. Он узкий. Это так и т. д. Зачем?",
        [
            "Мост построен в 1932 г.",
            "Он узкий.",
            "Это так и т. д.",
            "Зачем?",
        ],
    ),
    (
        "Le Dr. Martin a vu J. Dupont. Rome, 50 av. J.-C. La ville est là.",
        [
            "Le Dr. Martin a vu J. Dupont.",
            "Rome, 50 av. J.-C.",
            "La ville est là.",
        ],
    ),
    (
        "Il sig. Rossi abita nel paese. L'avv. Bianchi è qui.",
        ["Il sig. Rossi abita nel paese.", "L'avv. Bianchi è qui."],
    ),
    ("A Dra. Ana chegou em maio. J. Silva não.", ["A Dra. Ana chegou em maio.", "J. Silva não."]),
    ("De trein van dhr. Jansen is laat. Mevr. Smit niet.", ["De trein van dhr. Jansen is laat.", "Mevr. Smit niet."]),
    (
        "Dr Nowak jest przy ul. Długiej 5. To dom ks. Nowaka.",
        [
            "Dr Nowak jest przy ul. Długiej 5.",
            "To dom ks. Nowaka.",
        ],
    ),
    (
        "Sie hieß Anna Marl, geb. Kern, und ist hier. Er nicht.",
        [
            "Sie hieß Anna Marl, geb. Kern, und ist hier.",
            "Er nicht.",
        ],
    ),
]
MARKDOWN: list[tuple[str, Expected]] = [
    ("# The *Title* ##\n\nText. More.", [("heading", "The *Title*"), "Text.", "More."]),
    ("Title\n=====\nText here.", [("heading", "Title"), "Text here."]),
    ("A sentence ends here. So.\n---\nNext.", ["A sentence ends here.", "So.", "Next."]),
    (
        "1. First. Second one.\n2. Next\n   - nested *b*\n\n   Loose para.",
        [
            ("list_item", "First."),
            ("list_item", "Second one."),
            ("list_item", "Next"),
            ("list_item", "nested *b*"),
            ("list_item", "Loose para."),
        ],
    ),
    ("1. One\n\nBetween.\n\n2. Two", [("list_item", "One"), "Between.", ("list_item", "Two")]),
    ("5. five\n6. six", ["5. five", "6. six"]),
    ("- [x] done\n+ [ ] open", [("list_item", "[x] done"), ("list_item", "[ ] open")]),
    (
        "Points:\n• one thing\n• two. And more.",
        [
            "Points:",
            ("list_item", "one thing"),
            ("list_item", "two."),
            ("list_item", "And more."),
        ],
    ),
    (
        "It is old:\n1️⃣ Built in 1858.\n2️⃣ It has lamps.\n🔟 Red",
        [
            "It is old:",
            ("list_item", "Built in 1858."),
            ("list_item", "It has lamps."),
            ("list_item", "Red"),
        ],
    ),
    (
        "✅ Built in 1858.\n✔️ It is\nred. New.\n❌ Not blue",
        [
            ("list_item", "Built in 1858."),
            ("list_item", "It is\nred."),
            ("list_item", "New."),
            ("list_item", "Not blue"),
        ],
    ),
    ("🎉 The bridge opened.", ["🎉 The bridge opened."]),
    ("I love you\n❤️ and him.", ["I love you\n❤️ and him."]),
    ("> Quoted text. More\n> of quote.\n\nEnd.", ["Quoted text.", "More\n> of quote.", "End."]),
    ("| A. x | B |\n|---|:-:|\n| 1.5 | d |", [("heading", "| A. x | B |"), ("table_row", "| 1.5 | d |")]),
    (
        "|  | Velm 5 | Duo |\n|---|---|---|\n| Price | €9 | €7 |",
        [("heading", "|  | Velm 5 | Duo |"), ("table_row", "| Price | €9 | €7 |")],
    ),
    ("| Duo | €9 |\n|---|---|\n| Solo | €7 |", [("table_row", "| Duo | €9 |"), ("table_row", "| Solo | €7 |")]),
    ("Run:\n\n```py\nprint('a. B')\n\nx\n```\nDone.", ["Run:", ("code", "```py\nprint('a. B')\n\nx\n```"), "Done."]),
    ("1. a\n\n   ~~~\n   x. Y\n   ~~~", [("list_item", "a"), ("code", "~~~\n   x. Y\n   ~~~")]),
    ("Code:\n\n    if (a) { b(); }\n\nEnd.", ["Code:", ("code", "if (a) { b(); }"), "End."]),
    ("    An old book indents its paragraphs. It goes on.", ["An old book indents its paragraphs.", "It goes on."]),
    ("---\ntitle: A. B\n---\nText.", [("code", "---\ntitle: A. B\n---"), "Text."]),
    ("One.\n\n***\n\nTwo.", ["One.", "Two."]),
    ("<!-- hidden. note -->\n\nSeen.", [("code", "<!-- hidden. note -->"), "Seen."]),
    ("<div>Paris is big. London too.</div>", ["<div>Paris is big.", "London too.</div>"]),
    ("<div>Paris is big</div><div>London too.</div>", ["<div>Paris is big", "London too.</div>"]),
    (
        "<table><tr><td>Length</td><td>5 m</td></tr>\n<tr><td>Width</td><td>3 m</td></tr></table>",
        ["<table><tr><td>Length</td><td>5 m</td>", "<td>Width</td><td>3 m</td></tr></table>"],
    ),
    (
        "It opened in May.[1]The bridge is long.[2] It is old.",
        [
            "It opened in May.[1]",
            "The bridge is long.[2]",
            "It is old.",
        ],
    ),
    (
        "[1] Kern, I. (1931).\n[2] Low, B. (1932).\n\n[^1]: https://a.example\n[^2]: https://b.example",
        ["[1] Kern, I. (1931).", "[2] Low, B. (1932).", "[^1]: https://a.example", "[^2]: https://b.example"],
    ),
    (
        "The bridge opened in 1931\n[2] and was closed in 1950\n[3] for good.",
        [
            "The bridge opened in 1931\n[2] and was closed in 1950\n[3] for good.",
        ],
    ),
    (
        "3 May:\n09:00 Opening by the mayor\n10:30–11:00 Talk on ships\n2:15 p.m. End",
        [
            "3 May:",
            "09:00 Opening by the mayor",
            "10:30–11:00 Talk on ships",
            "2:15 p.m. End",
        ],
    ),
    (
        "They agree:\n1.1 The price is 5 euros\n1.2.1 The house is new",
        [
            "They agree:",
            "1.1 The price is 5 euros",
            "1.2.1 The house is new",
        ],
    ),
    (
        "It cost\n1.5 million in May and\n2.5 million in June, from\n10:30 to\n12:00 each day.",
        [
            "It cost\n1.5 million in May and\n2.5 million in June, from\n10:30 to\n12:00 each day.",
        ],
    ),
    ("**1. Setting it up**\nIt is 5 m long.", [("heading", "**1. Setting it up**"), "It is 5 m long."]),
    (
        "> **The old bridge:**\r\n> It is 5 m long.  \r\n> It is red.",
        [
            ("heading", "**The old bridge:**"),
            "It is 5 m long.",
            "It is red.",
        ],
    ),
    ("**Length:**\n300 metres\n\n**Cost**\n[5 euros][1]", ["**Length:**\n300 metres", "**Cost**\n[5 euros][1]"]),
    ("**Very old** and\n**very long**\nbridge.", ["**Very old** and\n**very long**\nbridge."]),
    ("- 2 tbsp. olive oil\n- 8 oz. pasta", [("list_item", "2 tbsp. olive oil"), ("list_item", "8 oz. pasta")]),
    ("Text.[^1]\n\n[^1]: The note.\n[ref]: http://x.y 'T'", ["Text.[^1]", "[^1]: The note.", "[ref]: http://x.y 'T'"]),
    ("a line\\\nBroken by hand", ["a line\\", "Broken by hand"]),
]
GOLD = [*PROSE, *ABBREVIATIONS, *NUMBERS, *QUOTES, *ADDRESSES_AND_EMOJI, *LANGUAGES, *MARKDOWN]
