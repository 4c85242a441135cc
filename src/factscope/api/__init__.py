"""The Python interface: one call to check a text, a reusable checker, runs over tables, and measurements.

    check, acheck, stream, Checker → Report     Checker.run → Run     evaluate, benchmark, verify

A face on the engine: it reads what a caller holds (texts, paths, addresses, data frames), turns each mistake into a
`UsageError` that says how to fix it, and shows records as a person wants to read them. `factscope` exports its names.
"""
