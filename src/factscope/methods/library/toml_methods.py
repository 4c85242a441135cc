"""The methods of the TOML files beside this one: `fava/self-check.toml` holds the method of that name."""

from functools import partial
from pathlib import Path

from factscope.methods.method_catalogue import register_method
from factscope.methods.method_file import method_from_toml

_FOLDER = Path(__file__).parent
for _file in _FOLDER.rglob("*.toml"):
    register_method(_file.relative_to(_FOLDER).with_suffix("").as_posix(), partial(method_from_toml, _file))
