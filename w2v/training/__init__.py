"""Training skip-gram vectors: the schedule, the threads, the loss; reports through a callback."""

from w2v.training.api import train, train_encoded
from w2v.training.plan import TrainingPlan
from w2v.training.progress import STOP, Progress
from w2v.training.session import Training

__all__ = ["STOP", "Progress", "Training", "TrainingPlan", "train", "train_encoded"]
