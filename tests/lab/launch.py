"""The command line on a simulated network: every host is public and leads to one port of the loopback interface.

    LAB_WEB_PORT=8123 python -m tests.lab.launch check … --search serper

The fetcher checks the public addresses as usual; only the final destination of its sockets differs.
"""

import os
from functools import partial

from factscope.__main__ import collect_seldom, main

NOBODY = "93.184.216.99"


def pretend() -> None:
    """Route every host to the port that the environment names."""
    import factscope.evidence.fetch as fetching
    import factscope.evidence.page_access as wiring
    import factscope.evidence.search.search as searching
    from tests.lab.pages import Net

    net = Net(int(os.environ["LAB_WEB_PORT"]))
    net.hosts, net.dead = {"dead.example": (NOBODY,)}, {NOBODY}
    quick = fetching.FetchLimits(per_second=1_000)  # the pauses between requests have their own tests
    searching.back_off = lambda *_: 0.0  # type: ignore[assignment]
    fetcher = partial(fetching.Fetcher, limits=quick, resolve=net.resolve, open_socket=net.open_socket)
    wiring.Fetcher = fetching.Fetcher = fetcher  # type: ignore[misc,assignment]


if __name__ == "__main__":
    collect_seldom()  # before any large import, as always
    pretend()
    main()
