"""Faces in the shape of other libraries, so that programs written for them run on this one."""
