"""The process that turns token numbers into text."""

import logging

from mini_server.runtime.messages import GenerateReply, MessageTable, ShutdownReq
from mini_server.utils.process import configure_logger, tell_parent_of_failure

logger = logging.getLogger(__name__)


class Detokenizer:
    """Reads replies and passes text on."""

    def __init__(self, connection):
        self.connection = connection
        self.running = True
        self._table = MessageTable([(GenerateReply, self.handle_reply), (ShutdownReq, self.handle_shutdown)])

    def handle_reply(self, message):
        """Echo a reply."""
        self.connection.send(message)

    def handle_shutdown(self, message):
        """Leave the loop."""
        self.running = False

    def event_loop(self):
        """Handle messages until told to end."""
        while self.running:
            self._table(self.connection.recv())


def run_detokenizer_process(server_args, connection):
    """Entry of the detokenizer process."""
    configure_logger("[detokenizer] ")
    try:
        Detokenizer(connection).event_loop()
    except EOFError:
        logger.debug("the main process has gone")
    except Exception:
        tell_parent_of_failure()
        raise
