"""People label texts segment by segment, as for FELM (Chen et al. 2023, section 3).

Each alone, or two who do not see each other, with an adjudicator where they differ and a reviewer of it all.

    file → tasks ─ kept in the server's store ─ answers of each person → agreement, export
"""
