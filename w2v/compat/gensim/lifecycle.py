"""Events in the life of a model, which programs may note and read."""

from __future__ import annotations

import datetime
import logging
from typing import Any

__all__ = ["Lifecycle"]

logger = logging.getLogger(__name__)


class Lifecycle:
    """An object that keeps a list of events."""

    lifecycle_events: list[dict[str, Any]] | None

    def add_lifecycle_event(self, event_name: str, log_level: int = logging.INFO, **event: Any) -> None:
        """Append an event to `lifecycle_events`, unless that is None, and log it (a level of 0 or False: do not)."""
        event = {**event, "datetime": datetime.datetime.now(datetime.UTC).isoformat(), "event": event_name}
        if log_level:
            logger.log(log_level, "%s: %s", type(self).__name__, event)
        events = self.__dict__.setdefault("lifecycle_events", [])
        if events is not None:
            events.append(event)
