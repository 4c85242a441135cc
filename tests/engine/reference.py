"""The reference response for numbers of calls: 20 sentences, 24 claims, and documents about them.

By the documents, 16 claims are true and 4 are wrong; about the other 4 they say nothing.
"""

TEXT = (
    "The Selby lighthouse stands on the north cape of Varn. It was built in 1852. It is 31 metres high and has five"
    " floors. It was designed by Marta Velin. She was an engineer from Orsa. The lamp of the lighthouse burned oil"
    " until 1904. The lighthouse was automated in 1984. The last keeper of the lighthouse was Tor Hald. He moved to"
    " Port Lome in 1988 and opened a bakery. The island of Varn has 800 inhabitants.\n\n"
    "It lies 14 kilometres west of Gara. The Pallas ferry carries 80 cars and holds 300 passengers. The ferry was"
    " built in Gara. The school of Varn was founded in 1911. It has 42 pupils. The library of Varn holds 6,000 books."
    " The harbour was built in 1826; it was closed in 1971. The farmers of Varn grew tulips for the mainland. The Orsa"
    " telescope has a mirror of 3 metres. Penguins waddle across the glacier.\n"
)
DOCUMENTS = {
    "lighthouse.md": "# The Selby lighthouse\n\nThe Selby lighthouse stands on the north cape of Varn. The lighthouse"
    " was built in 1852 and designed by Marta Velin, an engineer from Orsa. The Selby lighthouse is 31 metres high and"
    " has four floors.\n\nThe lamp of the lighthouse burned oil until 1904. The lighthouse was automated in 1987. The"
    " last keeper of the lighthouse was Tor Hald, who moved to Port Lome in 1988.",
    "island.txt": "The island of Varn lies 14 kilometres west of Gara. The island has 640 inhabitants. The school of"
    " Varn was founded in 1911. The school has 42 pupils. The library of Varn holds 6,000 books. The harbour of the"
    " island was built in 1826. The harbour was closed in 1971.",
    "ferry.md": "# The Pallas ferry\n\nThe Pallas ferry carries 80 cars and holds 300 passengers. The ferry was built"
    " in Tull in 1998.",
}
