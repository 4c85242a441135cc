"""Content of the invented conversations: topics, questions, facts, and prompts of other kinds and languages."""

from __future__ import annotations

from typing import NamedTuple


class Subject(NamedTuple):
    """Something that is asked about."""

    name: str
    number: int
    fact: str
    """A sentence with a place `{n}` for the number."""


class Topic(NamedTuple):
    """A subject matter with its own words."""

    name: str
    forms: tuple[str, ...]
    subjects: tuple[Subject, ...]


def _topic(name: str, forms: str, subjects: str) -> Topic:
    rows = (line.strip().split(" | ") for line in subjects.strip().splitlines())
    return Topic(
        name,
        tuple(line.strip() for line in forms.strip().splitlines()),
        tuple(Subject(what, int(number), fact) for what, number, fact in rows),
    )


LONG = (
    "please explain what somebody who is new to {topic} should know about {x} first of all, which mistakes beginners"
    " often make there, and how experts would avoid each of them"
)
"""A question that fits every topic; long, for almost equal prompts."""

TOPICS: tuple[Topic, ...] = (
    _topic(
        "planets and their orbits",
        """
        which spacecraft orbited {x} and what did its telescope show of the planet
        how long is a day on {x}, the planet, compared with its orbit around the sun
        why does the atmosphere of {x} differ from that of the other planets
        list the moons and rings of {x} and the astronomers who found them
        what would gravity on {x} mean for a spacecraft that lands on the planet
        how far from the sun is the orbit of {x} among the planets
        """,
        """
        Mercury | 88 | Mercury goes around the sun once in {n} days.
        Venus | 243 | Venus turns once in {n} days, against the sense of its orbit.
        Mars | 687 | A year of the planet Mars takes {n} days.
        Jupiter | 1610 | Galileo saw four moons of Jupiter in {n}.
        Saturn | 1655 | Huygens found Titan, the largest moon of Saturn, in {n}.
        Uranus | 1781 | Herschel discovered the planet Uranus in {n}.
        Neptune | 1846 | Neptune was found in {n} where its orbit had been computed.
        Pluto | 1930 | Tombaugh found Pluto on photographic plates in {n}.
        """,
    ),
    _topic(
        "coffee and its brewing",
        """
        how do I brew {x} coffee, and which grind and roast suit it
        what is the difference in caffeine between {x} and other coffee
        which beans do baristas take for {x}, and how is the roast chosen
        why does {x} coffee taste bitter when the water is too hot for the grind
        where does {x} come from in the history of coffee houses
        how much milk foam belongs in {x} when a barista makes coffee
        """,
        """
        espresso | 9 | An espresso machine presses water through ground coffee at about {n} bar.
        filter | 1908 | Melitta Bentz patented the paper filter for coffee in {n}.
        mocha pot | 1933 | Bialetti brought out the mocha pot in {n}.
        cappuccino | 60 | The milk of a cappuccino is best steamed to about {n} degrees.
        arabica | 44 | Arabica coffee plants have {n} chromosomes.
        robusta | 22 | Robusta coffee plants have {n} chromosomes.
        decaffeinated | 1903 | Roselius began to take the caffeine out of coffee beans in {n}.
        cold brew | 12 | Cold brew coffee steeps for {n} hours or longer.
        """,
    ),
    _topic(
        "chess openings and champions",
        """
        explain the main line of the {x} chess opening and the plans for white and black
        which grandmasters played the {x} in world chess championship games
        how should black answer on the chess board against the {x}
        what pawn structure comes out of the {x} and where do the knights and bishops go
        name famous chess games in which the {x} decided a championship match
        is the {x} a good chess opening for club players who like to castle early
        """,
        """
        Sicilian Defence | 1594 | Polerio noted the Sicilian Defence about {n}.
        Queen's Gambit | 1490 | The Queen's Gambit stands in a manuscript of about {n}.
        Ruy Lopez | 1561 | The priest Ruy López wrote on this opening in {n}.
        French Defence | 1834 | The French Defence has its name from a match by letters in {n}.
        Caro-Kann | 1886 | Caro and Kann published their analysis in {n}.
        King's Indian | 1953 | The King's Indian was the fashion at Zurich in {n}.
        English Opening | 1843 | Staunton played the English Opening against Saint-Amant in {n}.
        Italian Game | 1620 | Greco collected games of the Italian Game about {n}.
        """,
    ),
    _topic(
        "volcanoes and their eruptions",
        """
        when was the last great eruption of {x} and how far did the ash and lava reach
        what kind of volcano is {x}, and what magma feeds its crater
        how do volcanologists watch {x} for signs of an eruption
        describe how the eruption of {x} changed the climate and the villages below the volcano
        which gases and lava flows came from the crater of the volcano {x}
        why is {x} a volcano at all, seen from plate tectonics and magma
        """,
        """
        Vesuvius | 79 | Vesuvius buried Pompeii in the year {n}.
        Krakatoa | 1883 | Krakatoa blew itself apart in {n}.
        Mount St. Helens | 1980 | The north side of Mount St. Helens fell away in {n}.
        Tambora | 1815 | Tambora had the largest eruption of recent history in {n}.
        Pinatubo | 1991 | Pinatubo erupted in {n} and cooled the world by half a degree.
        Etna | 3357 | Etna stood {n} metres tall when it was last measured.
        Mauna Loa | 1984 | Before 2022, Mauna Loa had last erupted in {n}.
        Eyjafjallajökull | 2010 | Ash of Eyjafjallajökull closed the airspace of Europe in {n}.
        """,
    ),
    _topic(
        "the Roman empire",
        """
        how did the emperor {x} rule the Roman provinces and the senate
        which wars did the Roman legions fight under {x}
        what did Roman historians such as Tacitus write about the emperor {x}
        how did {x} die, and who became emperor of Rome after that
        what did the emperor {x} build in Rome and in the provinces
        why do historians of Rome judge {x} as they do, for the senate and the legions
        """,
        """
        Augustus | 14 | Augustus died in the year {n}.
        Nero | 64 | Rome burned under Nero in the year {n}.
        Trajan | 117 | The empire was largest when Trajan died in {n}.
        Hadrian | 122 | Hadrian had a wall begun across Britain in {n}.
        Marcus Aurelius | 180 | Marcus Aurelius died in his camp in {n}.
        Diocletian | 305 | Diocletian gave up his office in {n}.
        Constantine | 330 | Constantine moved his capital to Byzantium in {n}.
        Vespasian | 69 | Vespasian was the last of the emperors of the year {n}.
        """,
    ),
    _topic(
        "vaccines and immunity",
        """
        how does the vaccine against {x} train the immune system and its antibodies
        who developed the first vaccine against {x}, and how was it tested on patients
        which side effects do doctors see after a {x} vaccination
        how many doses of vaccine protect children against {x}, and for how long are they immune
        why did vaccination not yet wipe out {x} as a disease everywhere
        what share of children must be immune so that {x} infections stop, by vaccination
        """,
        """
        smallpox | 1980 | Smallpox was declared eradicated in {n}.
        polio | 1955 | Salk's vaccine against polio was licensed in {n}.
        measles | 1963 | The first vaccine against measles was licensed in {n}.
        rabies | 1885 | Pasteur gave his vaccine against rabies to a boy in {n}.
        tetanus | 10 | A booster against tetanus is advised about every {n} years.
        yellow fever | 1937 | Theiler developed the vaccine against yellow fever in {n}.
        hepatitis B | 1986 | A vaccine against hepatitis B made in yeast came in {n}.
        influenza | 1945 | A vaccine against influenza was first licensed in {n}.
        """,
    ),
    _topic(
        "honey bees and beekeeping",
        """
        what is the task of {x} in a hive of honey bees
        how do beekeepers look after {x} when the colony gets through the winter
        why do {x} matter for the pollen and the honey of the hive
        how can a beekeeper tell from {x} that the honey bees will swarm
        which diseases and mites befall {x} in hives of honey bees
        describe the life of {x} in the colony from the egg to the last flight
        """,
        """
        the queen | 16 | A queen hatches {n} days after the egg was laid.
        drones | 24 | Drones take {n} days from the egg to the winged bee.
        worker bees | 21 | Worker bees hatch {n} days after the egg was laid.
        the waggle dance | 1973 | Karl von Frisch had the Nobel Prize of {n} for reading the dance of bees.
        royal jelly | 3 | All larvae get royal jelly for about {n} days.
        honeycombs | 6 | Each cell of a honeycomb has {n} sides.
        nectar | 18 | Honey keeps when less than about {n} per cent of it is water.
        guard bees | 18 | A worker bee may stand guard at the entrance from about its day {n}.
        """,
    ),
    _topic(
        "electric cars and batteries",
        """
        how does {x} change the range of an electric car and the wear of its battery
        what should drivers of electric cars know about {x} before the battery runs low
        which makers of electric cars were first with {x} in their batteries
        why does {x} matter in winter for the battery and the charging of an electric car
        how much does {x} add to the price of an electric car and its battery
        compare {x} in electric cars with the engine of a petrol car
        """,
        """
        fast charging | 350 | The strongest chargers by the motorway give {n} kilowatts.
        regenerative braking | 1967 | An early electric car with regenerative braking, the Amitron, was shown in {n}.
        lithium-ion cells | 1991 | Lithium-ion cells were first sold in {n}.
        a heat pump | 4 | A heat pump may give up to {n} units of heat for one of current.
        battery swapping | 5 | Stations that swap batteries need about {n} minutes for a car.
        solid-state batteries | 2027 | Several makers promise solid-state batteries for {n}.
        home charging | 11 | A box on the wall at home charges with {n} kilowatts where there are three phases.
        battery recycling | 95 | Plants for recycling say they win back {n} per cent of the cobalt.
        """,
    ),
    _topic(
        "mountains and climbing",
        """
        who were the climbers that first reached the summit of {x}, and by which ridge
        how high is the summit of {x}, and how many days does an ascent take
        which route up {x} do climbers take today, and where are the camps on the mountain
        why is {x} so dangerous for climbers, from avalanches to altitude
        how did the first ascent of {x} end for the climbers on the way down from the summit
        what gear and training does a climber need for the mountain {x}
        """,
        """
        Mount Everest | 1953 | Hillary and Tenzing stood on Mount Everest in {n}.
        K2 | 1954 | An Italian expedition first climbed K2 in {n}.
        Matterhorn | 1865 | Whymper's party climbed the Matterhorn in {n}, and four died on the way down.
        Mont Blanc | 1786 | Balmat and Paccard climbed Mont Blanc in {n}.
        Annapurna | 1950 | Annapurna was the first peak of eight thousand metres to be climbed, in {n}.
        Denali | 1913 | The south summit of Denali was reached in {n}.
        Kilimanjaro | 5895 | Kilimanjaro is {n} metres high.
        Nanga Parbat | 1953 | Hermann Buhl climbed Nanga Parbat alone in {n}.
        """,
    ),
    _topic(
        "composers and their symphonies",
        """
        which symphony of {x} do orchestras play most, and what is its key
        how did {x} use the strings and the brass of the orchestra in a symphony
        tell me about the first performance of the last symphony of {x} and its conductor
        who taught the composer {x}, and which operas and quartets came out of that
        why did critics of the time dislike the symphonies of the composer {x}
        what makes the slow movements in the symphonies of {x} sound as they do
        """,
        """
        Beethoven | 1824 | Beethoven's last symphony was first heard in {n}.
        Mozart | 1788 | Mozart wrote his last three symphonies in the summer of {n}.
        Haydn | 104 | Haydn is counted {n} symphonies.
        Mahler | 1860 | Mahler was born in {n}.
        Tchaikovsky | 1893 | Tchaikovsky died in {n}, nine days after his last symphony was first heard.
        Brahms | 21 | Brahms worked on his first symphony for {n} years.
        Dvořák | 1893 | Dvořák's symphony from the New World was first heard in {n}.
        Sibelius | 7 | Sibelius finished {n} symphonies.
        """,
    ),
    _topic(
        "cheese and how it is made",
        """
        how is {x} cheese made from milk, rennet and salt, and how long does it ripen
        which mould or bacteria give {x} cheese its taste and its rind
        how should {x} cheese be kept in a fridge so that its rind does not dry out
        what milk may go into {x} cheese by the law of its region
        which wine goes with {x} cheese, and what do cheese makers say of it
        why does {x} cheese melt or crumble as it does, seen from milk fat and ripening
        """,
        """
        Parmesan | 12 | Parmesan has to ripen for {n} months at least.
        Camembert | 1791 | Legend has it that Camembert was first made in {n}.
        Roquefort | 1925 | Roquefort was given a protected name in {n}.
        Gruyère | 35 | A wheel of Gruyère weighs about {n} kilograms.
        Cheddar | 38 | The curd of Cheddar is heated to about {n} degrees.
        Mozzarella | 1996 | Mozzarella was listed as a traditional speciality about {n}.
        Gouda | 48 | Dry matter of Gouda is {n} per cent fat.
        Feta | 2002 | The European Union gave the name Feta to Greece in {n}.
        """,
    ),
    _topic(
        "railways and locomotives",
        """
        when was the railway line of {x} opened and which locomotives pulled its trains
        how fast do trains run on {x}, and what signals and tracks do they need
        why was {x} a turning point for the railway and its engineers
        which engineers built {x}, and what did the railway tunnels and bridges cost
        how many passengers do the trains of {x} carry in a year by the railway's count
        what gauge do the tracks of {x} have, compared with other railways
        """,
        """
        Stockton and Darlington | 1825 | The Stockton and Darlington railway opened in {n}.
        the Shinkansen | 1964 | The first Shinkansen ran in {n}.
        the TGV | 1981 | The TGV began its service to Lyon in {n}.
        the Trans-Siberian | 9288 | The Trans-Siberian line is {n} kilometres long.
        the Gotthard base tunnel | 57 | The Gotthard base tunnel is {n} kilometres long.
        the Orient Express | 1883 | The Orient Express first ran in {n}.
        the Flying Scotsman | 1923 | The locomotive Flying Scotsman was built in {n}.
        the London Underground | 1863 | The first line of the London Underground opened in {n}.
        """,
    ),
    _topic(
        "tides and sailing",
        """
        how do sailors steer a yacht by {x} when the wind turns against the tide
        what should the crew of a sailing yacht know of {x} before they leave harbour
        why did {x} matter to sailors on the ocean before there were satellites
        how is {x} shown on the sea charts that sailors use in the harbour
        which sailing races around the world were decided by {x} and the wind
        """,
        """
        the spring tide | 14 | Spring tides come about every {n} days.
        the trade winds | 30 | The trade winds blow between the equator and about {n} degrees.
        the sextant | 1731 | Hadley showed a forerunner of the sextant in {n}.
        the spinnaker | 1866 | Spinnakers have been set since about {n}.
        the Gulf Stream | 1513 | Ponce de León met the Gulf Stream in {n}.
        the keel | 1851 | The schooner America, with her long keel, won at Cowes in {n}.
        """,
    ),
    _topic(
        "bread and sourdough",
        """
        how long should a dough with {x} rise before the loaf goes into the oven
        why does {x} make the crumb of a bread dense, and what do bakers do about it
        which flour do bakers take for a loaf with {x}, and how wet is the dough
        what happens to {x} while the bread bakes and its crust turns brown
        how do bakers keep {x} alive or fresh between two days of baking bread
        """,
        """
        sourdough starter | 4 | A sourdough starter has a pH of about {n}.
        baker's yeast | 1857 | Pasteur showed in {n} that yeast lives.
        rye flour | 65 | A loaf of rye flour is often at least {n} per cent sourdough.
        gluten | 12 | Strong flour has {n} per cent of protein, most of it gluten.
        wholemeal flour | 100 | Wholemeal flour holds {n} per cent of the grain.
        a baking stone | 30 | A baking stone is heated for {n} minutes at least.
        """,
    ),
    _topic(
        "dinosaurs and fossils",
        """
        what did palaeontologists learn from the fossil bones of {x} about its size and speed
        where were the first fossils of the dinosaur {x} dug up, and by whom
        what did the dinosaur {x} eat, going by its teeth and jaw in the fossils
        how did {x} live in the Cretaceous or Jurassic among the other dinosaurs
        why do museums show the skeleton of {x} otherwise than they did, going by newer fossils
        """,
        """
        Tyrannosaurus | 1905 | Tyrannosaurus was named in {n}.
        Triceratops | 3 | Triceratops had {n} horns.
        Stegosaurus | 17 | Stegosaurus bore {n} plates or more on its back.
        Archaeopteryx | 1861 | Archaeopteryx was described in {n}.
        Iguanodon | 1825 | Mantell named Iguanodon in {n}.
        Velociraptor | 1971 | A Velociraptor that died fighting was found in {n}.
        """,
    ),
)

NEITHER = (
    "Write a poem about a lonely lighthouse keeper in the style of an old ballad",
    "Write a short story about two robots who fall in love in a library",
    "Pretend you are a grumpy dragon and greet me at your cave",
    "Write a Python function that reverses a list without using slices",
    "Fix this javascript code for me: for (i=0;i<10;i++ { console.log(i) }",
    "Summarize the following text in one sentence: The office is closed on Friday, as the heating is being mended.",
    "Translate into French: the meeting was moved to Tuesday morning",
    "Rewrite this email so that it sounds more friendly: Send me the report now.",
    "Tell me a joke about an accountant and a parrot",
    "Act as my interviewer for a job in marketing and put the first question to me",
    "hello",
    "Compose a limerick about rainy holidays by the sea",
)
"""Prompts that no fact answers."""

ELSEWHERE = tuple(
    tuple(line.strip().split(" | "))
    for line in """
    ¿Cuáles son los volcanes más altos de América del Sur y cuándo hicieron erupción? | El Ojos del Salado.
    Explícame cómo funciona una vacuna contra la gripe y por qué hay que ponerla cada año | El virus cambia cada año.
    ¿Quién ganó el campeonato mundial de ajedrez en 1972 y contra quién jugó? | Lo ganó Bobby Fischer.
    Wie lange dauert ein Tag auf der Venus, und warum dreht sie sich anders herum als die Erde? | 243 Erdtage.
    Welche Käsesorten aus der Schweiz darf man nur aus Rohmilch herstellen? | Zum Beispiel Gruyère.
    Wann wurde die erste Eisenbahnstrecke in Deutschland eröffnet und wie schnell fuhr der Zug? | Am 7. Dezember 1835.
    Quelle est la différence entre un espresso et un café filtre, et lequel est le plus fort ? | Le café filtre.
    Raconte-moi comment l'empereur Hadrien a fait construire son mur en Bretagne | Les travaux ont commencé en 122.
    Qui a gravi le mont Blanc pour la première fois, et par quel chemin ? | Balmat et Paccard en 1786.
    Quais são as abelhas que produzem mel no Brasil e como vivem as colônias delas? | As abelhas sem ferrão.
    Como funciona a bateria de um carro elétrico e quantos anos ela costuma durar? | Em geral de oito a quinze anos.
    Какая планета Солнечной системы самая большая и сколько у неё спутников? | Юпитер.
    Расскажи, пожалуйста, как делают сыр пармезан и сколько времени он зреет | Не меньше двенадцати месяцев.
    请介绍一下贝多芬的第九交响曲是什么时候首演的，有哪些特点 | 1824年在维也纳首演。
    日本の新幹線はいつ開業しましたか。最初の路線はどこからどこまでですか。 | 1964年、東京と新大阪の間です。
    Chi ha scritto la storia dell'imperatore Nerone e dell'incendio di Roma? | Tacito, negli Annali.
    Jak se vyrábí sýr s bílou plísní a proč se musí nechat uzrát ve sklepě? | Plíseň potřebuje vlhko.
    Hoeveel melk heb je nodig voor een kilo Goudse kaas en hoe lang moet die rijpen? | Ongeveer tien liter.
""".strip().splitlines()
)
"""Prompts in other languages, with answers."""
