"""The parts of the plan page: each edits one part of the study under edit."""
