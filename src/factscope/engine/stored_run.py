"""A run in the store, read report by report, so that a large one need not fit into memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from factscope.core.errors import StoreError
from factscope.core.records import Report
from factscope.engine.fold import Provenance, fold
from factscope.engine.run_store import RunRow, Store
from factscope.methods.method_file import method_from_values


class StoredRun(Mapping[str, Report]):
    """The reports of a run by response id, each assembled from its records when it is requested."""

    def __init__(self, store: Store, run: RunRow) -> None:
        self.run, self._store = run, store
        method = method_from_values(run.method, f"check {run.id}")
        self._origin = Provenance(method, run.searched, run.asked.models, run.asked.prompts)
        self._ids = dict.fromkeys(store.ended(run.id))

    def __iter__(self) -> Iterator[str]:
        return iter(self._ids)

    def __len__(self) -> int:
        return len(self._ids)

    def __getitem__(self, response: str) -> Report:
        if response not in self._ids:
            raise KeyError(response)
        events = self._store.events(self.run.id, response)
        try:
            return fold(events, self._origin)
        except ValueError as error:  # a record that the others need is damaged
            raise StoreError(
                f"Response {response} of run {self.run.id} can't be put together from {self._store.database.name}: a"
                f" record is damaged or missing ({str(error)[:200]}).",
                "`factscope store check` names what is damaged; the same check, run again, makes it again.",
            ) from None
