"""Programs that reach their target in ways that are easy to miss: no path to it may be called blocked alone."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.functional.running import Program, write

PROGRAMS = {
    "prop_override": """\
class A:
    def __init__(self):
        self.go()
    @property
    def flag(self):
        return False
    def go(self):
        if self.flag:
            target()
class B(A):
    @property
    def flag(self):
        return True
def main():
    B()
""",
    "classattr_override": """\
class A:
    flag = False
    def __init__(self):
        self.go()
    def go(self):
        if self.flag:
            target()
class B(A):
    flag = True
def main():
    B()
""",
    "instance_dict": """\
class A:
    def __init__(self):
        self.flag = False
    def go(self):
        if self.flag:
            target()
def main():
    a = A(); a.__dict__["flag"] = True; a.go()
""",
    "global_by_globals": """\
FLAG = False
def go():
    if FLAG:
        target()
def main():
    globals()["FLAG"] = True
    go()
""",
    "param_rebound_loop": """\
def go(flag=False):
    for i in range(2):
        if flag:
            target()
        flag = True
def main():
    go()
""",
    "param_closure": """\
def go(flag=False):
    def set():
        nonlocal flag
        flag = True
    set()
    if flag:
        target()
def main():
    go()
""",
    "decorated": """\
def deco(f):
    def inner(flag=False):
        return f(True)
    return inner
@deco
def go(flag=False):
    if flag:
        target()
def main():
    go()
""",
    "kwargs_merge": """\
def go(flag=False):
    if flag:
        target()
def main():
    kw = dict(flag=False)
    kw |= {"flag": True}
    go(**kw)
""",
    "kwargs_alias": """\
def go(flag=False):
    if flag:
        target()
def change(t):
    t["flag"] = True
def main():
    kw = dict(flag=False)
    other = kw
    other["flag"] = True
    go(**kw)
""",
    "two_inits": """\
class A:
    def __init__(self, flag):
        self.flag = flag
    def go(self):
        if self.flag:
            target()
def main():
    a = A(False)
    a.__init__(True)
    a.go()
""",
    "init_after": """\
class A:
    def __init__(self, flag):
        self.flag = flag
        self.go()
    def go(self):
        if self.flag:
            target()
class B(A):
    def __init__(self):
        super().__init__(False)
        super().__init__(True)
def main():
    B()
""",
    "super_later": """\
class A:
    def __init__(self):
        self.flag = False
class B(A):
    def __init__(self):
        super().__init__()
        self.flag = True
    def go(self):
        if self.flag:
            target()
def main():
    B().go()
""",
    "inherited_go": """\
class A:
    def __init__(self):
        self.flag = False
    def go(self):
        if self.flag:
            target()
class B(A):
    def __init__(self):
        super().__init__()
        self.flag = True
def main():
    B().go()
""",
    "class_patch": """\
class A:
    flag = False
    def go(self):
        if self.flag:
            target()
def main():
    A.flag = True
    A().go()
""",
    "class_patch_cls": """\
class A:
    flag = False
    @classmethod
    def on(cls):
        cls.flag = True
    def go(self):
        if self.flag:
            target()
def main():
    A.on()
    A().go()
""",
    "getattribute": """\
class A:
    def __init__(self):
        self.flag = False
    def __getattribute__(self, n):
        return True if n == "flag" else object.__getattribute__(self, n)
    def go(self):
        if self.flag:
            target()
def main():
    A().go()
""",
    "enum_eq": """\
from enum import Enum
class K(Enum):
    A = 1
    B = 2
    def __eq__(self, o):
        return True
    __hash__ = None
def go(k=K.A):
    if k == K.B:
        target()
def main():
    go()
""",
    "enum_alias": """\
from enum import Enum
class K(Enum):
    A = 1
    B = 1
def go(k=K.A):
    if k == K.B:
        target()
def main():
    go()
""",
    "property_setter": """\
class A:
    def __init__(self):
        self._f = False
    @property
    def flag(self):
        return self._f
    @flag.setter
    def flag(self, v):
        self._f = v
    def go(self):
        if self.flag:
            target()
def main():
    a = A(); a.flag = True; a.go()
""",
    "dataclass_replace": """\
from dataclasses import dataclass, replace
@dataclass
class A:
    flag: bool = False
    def go(self):
        if self.flag:
            target()
def main():
    replace(A(), flag=True).go()
""",
    "copy_update": """\
class A:
    def __init__(self):
        self.flag = False
    def go(self):
        if self.flag:
            target()
class B(A):
    def __init__(self, **kw):
        self.__dict__.update(kw)
def main():
    B(flag=True).go()
""",
    "walrus": """\
def go(flag=False):
    if (flag := True) and flag:
        target()
def main():
    go()
""",
    "del_global": """\
FLAG = True
def go():
    if not FLAG:
        target()
def main():
    import m
    m.FLAG = 0
    go()
""",
    "multi_assign_tuple": """\
class A:
    def __init__(self):
        self.flag = False
    def go(self):
        if self.flag:
            target()
def main():
    a = A()
    x, a.flag = 1, True
    a.go()
""",
    "for_target": """\
class A:
    def __init__(self):
        self.flag = False
    def go(self):
        if self.flag:
            target()
def main():
    a = A()
    for a.flag in [True]: a.go()
""",
    "with_target": """\
from contextlib import nullcontext
class A:
    def __init__(self):
        self.flag = False
    def go(self):
        if self.flag:
            target()
def main():
    a = A()
    with nullcontext(True) as a.flag: a.go()
""",
    "method_assigned": """\
class A:
    def go(self, flag=False):
        if flag:
            target()
def main():
    a = A()
    old = a.go
    a.go = lambda flag=False: old(True)
    a.go()
""",
    "star_default": """\
def go(*a, flag=False):
    if flag:
        target()
def main():
    kw = {"flag": False, **{"flag": True}}
    go(**kw)
""",
    "nested_override_ctor": """\
class A:
    def __init__(self, flag=False):
        self.flag = flag
        self.start()
    def start(self):
        if self.flag:
            target()
class B(A):
    def __init__(self, flag=False):
        super().__init__(not flag)
def main():
    B()
""",
    "cls_construct": """\
class A:
    flag = False
    @classmethod
    def make(cls):
        return cls()
    def __init__(self):
        if self.flag:
            target()
class B(A):
    flag = True
def main():
    B.make()
""",
    "super_attr_mixin": """\
class Mix:
    def __init__(self):
        super().__init__()
        self.flag = True
class A:
    def __init__(self):
        self.flag = False
    def go(self):
        if self.flag:
            target()
class C(Mix, A): pass
def main():
    C().go()
""",
}
HEAD = "HIT = []\n\n\ndef target():\n    HIT.append(1)\n\n\n"
MAIN = '\n\nif __name__ == "__main__":\n    main()\n'


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_runs_is_not_blocked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    text = HEAD + PROGRAMS[name] + MAIN
    module = ModuleType("m")
    monkeypatch.setitem(sys.modules, "m", module)
    exec(compile(text, "m.py", "exec"), module.__dict__)
    module.main()
    assert module.HIT, "the target does not run"
    tree = Program(write(tmp_path / "tree", {"m.py": text}), tmp_path / "cache")
    for _ in range(2):  # as a first question, then on the solved tree
        verdicts = {path["feasible"] for path in tree.document("reach", "m.target", "--all")["paths"]}
        assert verdicts - {"blocked"}, verdicts
        tree.run("index", "-q")
