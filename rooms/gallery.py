"""What spectators are shown of a hand: the public view, one discard late where the owner wants it so. Pure."""

from __future__ import annotations

from rooms.fold import SPECTATOR, Fold, Outgoing


class Gallery:
    """What spectators have been shown: the public view, if the owner wants it so one discard late."""

    def __init__(self) -> None:
        self.shown: Fold | None = None
        self._delayed = False
        self._held: list[tuple[Fold, list[str]]] = []

    def begin(self, fold: Fold | None, *, delayed: bool) -> None:
        self.shown, self._delayed, self._held = fold, delayed, []

    def show(self, after: Fold, texts: list[str], discarded: bool) -> list[str]:
        """Take a step's texts in; the texts to be shown now. A new discard lets out what was held before it."""
        out: list[str] = []
        if discarded or not self._delayed:
            out = self._release()
        self._held.append((after, texts))
        if not self._delayed or not after.running:
            out += self._release()
        return out

    def _release(self) -> list[str]:
        out = [text for _, texts in self._held for text in texts]
        if self._held:
            self.shown = self._held[-1][0]
        self._held = []
        return out


def discards(outgoing: dict[int, Outgoing]) -> bool:
    public = outgoing.get(SPECTATOR)
    return public is not None and any(event["kind"] == "discarded" for _, event in public.events)
