"""What the question about one hook adds to the stored facts: wrappers that hide it, interfaces as hooks."""

from __future__ import annotations

from dataclasses import replace

from codepath.analysis.detect.declared import Declared, Likeness
from codepath.analysis.detect.evidence import evidence_of
from codepath.analysis.detect.mentions import is_defined
from codepath.analysis.detect.protocols import Protocols
from codepath.analysis.detect.tree import DetectTree
from codepath.analysis.hooks import Hooks
from codepath.model import ir
from codepath.model.hooks import Holder, HookAnswer, Lookup, Provider
from codepath.program.tree import ScopeInfo

_MOST = 40
"""Classes that are looked at as wrappers for one answer."""


def with_hidden(answer: HookAnswer, tree: DetectTree, hooks: Hooks) -> HookAnswer:
    """Return an answer that says which of its classes wrap one whose attribute they hide."""
    if len(answer.classes) > _MOST:
        return answer
    protocols = Protocols(evidence_of(tree), hooks, fewest=1)
    return replace(answer, classes=tuple(_holder(protocols, tree, answer.hook, one) for one in answer.classes))


def _holder(protocols: Protocols, tree: DetectTree, hook: str, holder: Holder) -> Holder:
    is_own = holder.provider is not None and holder.provider.cls == holder.cls
    info = tree.bodies.scope(holder.cls) if not is_own and holder.has is not None else None
    wrapper = protocols.wrapper(info) if info is not None and info.form == "class" else None
    hidden = protocols.replaced(wrapper, hook) if wrapper is not None else []
    return replace(holder, hides=hidden[0].name) if hidden else holder


def interface(query: str, tree: DetectTree) -> HookAnswer | None:
    """Answer who derives from a class that code tests for, None where the name means no class, or no one class."""
    last = query.rpartition(".")[2]
    if not last[:1].isupper():
        return None
    paths = [path for path in tree.words.holding(last) if is_defined(tree.text(path), last)]
    loaded = [tree.module_at(path) for path in paths]
    found = [i for m in loaded if m is not None for i in m.scopes if i.form == "class" and i.id == last]
    found = [i for i in found if i.name == query or i.name.endswith(f".{query}")]
    return _declared(found[0], tree) if len(found) == 1 else None


def _declared(info: ScopeInfo, tree: DetectTree) -> HookAnswer | None:
    asking = Declared(evidence_of(tree))
    tests = asking.tests(info)
    having = asking.declaring(info)
    if not tests or not having:
        return None
    likes = asking.likenesses(info)
    lookups = tuple(Lookup(t.place, "isinstance", "instance", t.text, (), "other-branch", "", None) for t in tests)
    place = tree.place(info, info.at)
    have = [_having(one, info, Provider(info.name, "class", place)) for one in having]
    lack = {one: _lacking(one, like) for like in reversed(likes) for one in like.lack}
    return HookAnswer(
        hook=info.id,
        lookups=lookups,
        family=_family(likes, info),
        registry="",
        classes=(*have, *sorted(lack.values(), key=lambda h: (-h.surprise, h.cls))),
        have=len(have),
        lack=len(lack),
        unknown=0,
    )


def _family(likes: list[Likeness], info: ScopeInfo) -> str:
    if not likes:
        return f"those that derive from {info.id}"
    return f"those that derive from {info.id} or hold a {' or '.join(like.base.id for like in likes[:3])}"


def _having(one: ScopeInfo, info: ScopeInfo, provider: Provider) -> Holder:
    return Holder(one.name, one.module.path, ir.line_of(one.at), True, provider)


def _lacking(one: ScopeInfo, like: Likeness) -> Holder:
    return Holder(
        one.name,
        one.module.path,
        ir.line_of(one.at),
        False,
        None,
        like=like.base.name,
        like_have=len(like.have),
        like_total=len(like.have) + len(like.lack),
        surprise=round(like.share, 2),
    )
