"""Answers as text and JSON: functions from an answer to chunks of text. DESIGN.md section 6 is the JSON contract."""
