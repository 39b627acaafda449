"""Which functions outside the tree give None: those of the standard library that do, and those that never do."""

from __future__ import annotations

_MAY = frozenset(
    """
    builtins.dict.get collections.OrderedDict.get collections.defaultdict.get collections.ChainMap.get
    collections.Counter.get os.environ.get os.getenv os.environb.get
    re.match re.search re.fullmatch re.Pattern.match re.Pattern.search re.Pattern.fullmatch re.Match.group
    shutil.which inspect.getdoc inspect.getmodule inspect.getsourcefile inspect.currentframe importlib.util.find_spec
    sys.gettrace sys.getprofile asyncio.current_task mimetypes.guess_type ctypes.util.find_library
    typing.get_origin threading.Timer.join subprocess.Popen.poll weakref.ref.__call__
    """.split()
)
_ALWAYS = frozenset(
    """
    builtins.print builtins.setattr builtins.delattr builtins.exec builtins.list.append builtins.list.extend
    builtins.list.insert builtins.list.remove builtins.list.clear builtins.list.sort builtins.list.reverse
    builtins.dict.update builtins.dict.clear builtins.set.add builtins.set.update builtins.set.discard builtins.set.remove
    builtins.set.clear random.seed random.shuffle time.sleep gc.disable gc.enable gc.freeze os.makedirs os.mkdir os.remove
    os.unlink os.chdir os.kill shutil.rmtree threading.Thread.start threading.Thread.join logging.Logger.info
    logging.Logger.debug logging.Logger.warning logging.Logger.error logging.Logger.exception logging.basicConfig
    atexit.unregister signal.alarm threading.Event.set threading.Event.clear
    """.split()
)
_NEVER_HEADS = frozenset(
    ["math", "operator", "itertools", "struct", "hashlib", "uuid", "pathlib", "fractions", "decimal"]
)
_NEVER = frozenset(
    """
    os.path.join os.path.dirname os.path.basename os.path.abspath os.path.exists os.path.isfile os.path.isdir
    os.path.realpath os.path.expanduser os.path.getsize os.getcwd os.getpid os.getppid os.listdir
    time.time time.perf_counter time.monotonic time.time_ns logging.getLogger json.dumps
    random.random random.randint random.uniform re.compile re.sub re.split re.findall re.escape socket.gethostname
    socket.gethostbyname functools.partial functools.wraps contextlib.nullcontext contextlib.suppress
    dataclasses.asdict dataclasses.astuple dataclasses.fields dataclasses.replace
    collections.defaultdict collections.deque collections.OrderedDict collections.Counter collections.namedtuple
    tempfile.mkdtemp tempfile.gettempdir typing.TypeVar typing.NewType enum.auto importlib.import_module
    multiprocessing.get_context threading.Lock threading.RLock threading.Event threading.local threading.get_ident
    threading.current_thread asyncio.Queue asyncio.Lock asyncio.Event asyncio.create_task asyncio.get_event_loop
    asyncio.new_event_loop queue.Queue contextvars.ContextVar argparse.ArgumentParser weakref.WeakKeyDictionary
    weakref.WeakValueDictionary concurrent.futures.ThreadPoolExecutor types.SimpleNamespace platform.machine platform.system
    """.split()
)
_BUILTIN_MAY = frozenset(["getattr", "next", "max", "min", "eval", "vars", "__import__"])
_TYPES = ("str", "int", "float", "bytes", "bool", "list", "tuple", "set", "frozenset", "dict")
_METHODS = frozenset(
    """
    join split rsplit splitlines strip lstrip rstrip format replace lower upper title startswith endswith encode decode
    count index find rfind partition rpartition removeprefix removesuffix zfill isdigit isidentifier items keys values copy
    union intersection difference issubset issuperset bit_length hex is_integer
    """.split()
)


def result_of(name: str) -> bool | None:
    """Return whether calling a dotted name may give None: True, False, or None where that is not known."""
    if name in _MAY or name in _ALWAYS:
        return True
    if name in _NEVER:
        return False
    head, _, rest = name.partition(".")
    if head == "builtins":
        return _builtin(rest)
    if head in _NEVER_HEADS or _is_class(name):
        return False
    return None


def always_none(name: str) -> bool:
    """Tell whether calling a dotted name gives nothing but None."""
    return name in _ALWAYS


def _builtin(rest: str) -> bool | None:
    owner, dot, method = rest.partition(".")
    if not dot:
        return None if owner in _BUILTIN_MAY else False
    return False if owner in _TYPES and method in _METHODS else None


def _is_class(name: str) -> bool:
    """Tell whether a dotted name reads as a class, whose call makes an instance: `Event`, not `EVENT`."""
    last = name.rpartition(".")[2].removesuffix(".__init__")
    return last[:1].isupper() and any(c.islower() for c in last) and "_" not in last
