"""The command line on a pretended net: every host of it is public, and leads to one port of the loopback interface.

    LAB_WEB_PORT=8123 python -m tests.lab.launch check … --search serper

The fetcher looks at the public addresses as ever; only where a socket goes in the end is another place.
"""

import os
from functools import partial

from factscope.__main__ import collect_seldom, main

NOBODY = "93.184.216.99"


def pretend() -> None:
    """Lead every host to the port that the environment names."""
    import factscope.evidence.fetch as fetching
    import factscope.evidence.page_access as wiring
    import factscope.evidence.search.search as searching
    from tests.lab.pages import Net

    net = Net(int(os.environ["LAB_WEB_PORT"]))
    net.hosts, net.dead = {"dead.example": (NOBODY,)}, {NOBODY}
    quick = fetching.FetchLimits(per_second=1_000)  # the pauses between requests have tests of their own
    searching.back_off = lambda *_: 0.0  # type: ignore[assignment]
    fetcher = partial(fetching.Fetcher, limits=quick, resolve=net.resolve, open_socket=net.open_socket)
    wiring.Fetcher = fetching.Fetcher = fetcher  # type: ignore[misc,assignment]


if __name__ == "__main__":
    collect_seldom()  # before anything of size is imported, as ever
    pretend()
    main()
