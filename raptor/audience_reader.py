"""Reading the audiences of a collection once, for all that is made of it: that takes a good part of a repair."""

from graph_store.bundles import Collection
from raptor.audience import Audience, AudienceView, audience_views
from raptor.theme_titles import Themes


class AudienceReader:
    """The views of one collection, and the themes of each, made at their first use and kept."""

    def __init__(self, collection: Collection) -> None:
        self._collection = collection
        self._views: tuple[AudienceView, ...] | None = None
        self._themes: dict[Audience, Themes] = {}

    def views(self) -> tuple[AudienceView, ...]:
        """Return the views of all audiences, sorted. O(chunks + sentences) the first time."""
        if self._views is None:
            self._views = audience_views(self._collection)
        return self._views

    def themes(self, view: AudienceView) -> Themes:
        """Return the themes of one of the views. O(words) the first time."""
        if view.audience not in self._themes:
            self._themes[view.audience] = Themes(view)
        return self._themes[view.audience]
