"""The server that answers over HTTP."""

import json
import logging
from http.server import BaseHTTPRequestHandler, HTTPServer

from mini_server.entry.engine import Engine
from mini_server.runtime.scheduler import run_scheduler_process

logger = logging.getLogger(__name__)


class HttpEngine(Engine):
    """An engine whose scheduler process can be replaced by the caller."""

    def __init__(self, server_args, run_scheduler_func=run_scheduler_process):
        self.run_scheduler_func = run_scheduler_func
        super().__init__(server_args)


def serve(server_args, run_scheduler_func=run_scheduler_process):
    """Start the processes, then answer requests until the end. Returns 0."""
    engine = HttpEngine(server_args, run_scheduler_func)
    if server_args.dry_run:
        return _dry_run(engine)
    server = HTTPServer((server_args.host, server_args.port), _make_handler(engine))
    try:
        server.serve_forever()
    finally:
        engine.shutdown()
    return 0


def _dry_run(engine):
    logger.info("answer: %s", engine.generate("hello", tokens=4))
    engine.control("profile")
    engine.flush()
    engine.shutdown()
    return 0


def _make_handler(engine):
    class Handler(BaseHTTPRequestHandler):
        """One request of the outside."""

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            action = getattr(self, f"post_{self.path.strip('/')}", self.post_unknown)
            self._reply(*action(body))

        def post_generate(self, body):
            return 200, {"text": engine.generate(body["prompt"], body.get("tokens", 2))}

        def post_flush(self, body):
            engine.flush()
            return 200, {}

        def post_unknown(self, body):
            return 404, {"error": "unknown path"}

        def _reply(self, status, payload):
            self.send_response(status)
            self.end_headers()
            self.wfile.write(json.dumps(payload).encode())

    return Handler
