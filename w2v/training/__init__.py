"""Training skip-gram vectors: the schedule, the threads, the loss, checkpoints; reports through callbacks."""

from w2v.training.api import resume, train, train_encoded
from w2v.training.checkpoint import Checkpoints
from w2v.training.continuing import Growth, continue_training, drift_of, inherited_settings
from w2v.training.drift import Drift
from w2v.training.estimate import Estimate, estimate
from w2v.training.measuring import MeanLoss, mean_loss
from w2v.training.plan import TrainingPlan
from w2v.training.progress import STOP, Progress
from w2v.training.result import embedding_of
from w2v.training.resuming import Checkpoint, read_checkpoint
from w2v.training.session import Training
from w2v.training.starting import Start, settings_for, start_from

__all__ = [
    "STOP",
    "Checkpoint",
    "Checkpoints",
    "Drift",
    "Estimate",
    "Growth",
    "MeanLoss",
    "Progress",
    "Start",
    "Training",
    "TrainingPlan",
    "continue_training",
    "drift_of",
    "embedding_of",
    "estimate",
    "inherited_settings",
    "mean_loss",
    "read_checkpoint",
    "resume",
    "settings_for",
    "start_from",
    "train",
    "train_encoded",
]
