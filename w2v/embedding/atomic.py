"""The former home of `w2v.atomic`."""

from w2v.atomic import check_target, remove_abandoned, replacing

__all__ = ["check_target", "remove_abandoned", "replacing"]
