"""What differs between the watched facts of two trees."""

from __future__ import annotations

from codepath.checks.changes import compare
from codepath.model.checks import Fact


def _paths(subject: str, *callers: str) -> Fact:
    return Fact("paths", subject, callers, None)


def _guards(subject: str, *guards: str) -> Fact:
    return Fact("guards", subject, guards, None)


def test_a_function_that_moved_to_a_base_of_its_class_is_the_same() -> None:
    before = [_paths("Runner.init_pool", "Runner.start"), _guards("Runner.init_pool in Runner.start", "a")]
    after = [_paths("PoolMixin.init_pool", "Runner.start"), _guards("PoolMixin.init_pool in Runner.start", "a")]
    changes, same = compare(before, after)
    assert changes == ()
    assert [fact.subject for fact in same] == ["PoolMixin.init_pool in Runner.start", "PoolMixin.init_pool"]


def test_a_guard_of_a_function_that_moved_is_told() -> None:
    before = [_paths("Runner.init_pool", "Runner.start"), _guards("Runner.init_pool in Runner.start")]
    after = [_paths("PoolMixin.init_pool", "Runner.start"), _guards("PoolMixin.init_pool in Runner.start", "b")]
    changes, _ = compare(before, after)
    assert [(c.kind, c.subject) for c in changes] == [("guard-added", "PoolMixin.init_pool in Runner.start")]


def test_another_function_of_the_same_last_name_without_a_common_caller_is_another() -> None:
    changes, _ = compare([_paths("Runner.init", "main")], [_paths("Other.init", "start")])
    assert [(c.kind, c.subject) for c in changes] == [("path-lost", "Runner.init"), ("path-gained", "Other.init")]


def test_of_several_functions_of_one_last_name_none_has_moved() -> None:
    changes, _ = compare([_paths("A.init", "main")], [_paths("B.init", "main"), _paths("C.init", "main")])
    assert [c.kind for c in changes] == ["path-lost", "path-gained", "path-gained"]
