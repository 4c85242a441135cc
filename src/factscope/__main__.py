"""`python -m factscope`."""

from factscope.cli import main

main()
