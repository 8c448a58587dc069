"""Recorded runs on disk: every record of a run, one file a column."""

from hw.tb.debug.recording.format import META, RECORDING, RecordingError
from hw.tb.debug.recording.reader import Recording, Table
from hw.tb.debug.recording.recover import recover
from hw.tb.debug.recording.writer import RecordingWriter

__all__ = ["META", "RECORDING", "Recording", "RecordingError", "RecordingWriter", "Table", "recover"]
