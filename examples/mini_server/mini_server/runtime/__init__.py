"""The processes of the server and the messages between them."""
