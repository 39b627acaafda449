"""What a document says of the program that wrote it."""

VERSION = "0.1.0"
SCHEMA = 1
