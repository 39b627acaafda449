"""codepath reads a source tree and says which paths reach a function, under which guards and in which order.

The names below are the Python API; each is imported when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from codepath.app.api import Index as Index
    from codepath.app.api import check as check
    from codepath.app.api import diff as diff
    from codepath.app.api import rules as rules
    from codepath.errors import CodepathError as CodepathError
    from codepath.errors import ConfigError as ConfigError
    from codepath.errors import QueryError as QueryError
    from codepath.errors import RuleError as RuleError
    from codepath.errors import SourceError as SourceError
    from codepath.errors import StoreError as StoreError
    from codepath.model.answers import Bypass as Bypass
    from codepath.model.answers import Contradiction as Contradiction
    from codepath.model.answers import EntriesAnswer as EntriesAnswer
    from codepath.model.answers import Entry as Entry
    from codepath.model.answers import EventOrder as EventOrder
    from codepath.model.answers import Group as Group
    from codepath.model.answers import Guard as Guard
    from codepath.model.answers import IndexAnswer as IndexAnswer
    from codepath.model.answers import NearestMiss as NearestMiss
    from codepath.model.answers import Path as Path
    from codepath.model.answers import ReachAnswer as ReachAnswer
    from codepath.model.answers import Reason as Reason
    from codepath.model.answers import Receiver as Receiver
    from codepath.model.answers import RegistrySize as RegistrySize
    from codepath.model.answers import Skipped as Skipped
    from codepath.model.answers import SourceInfo as SourceInfo
    from codepath.model.answers import Stats as Stats
    from codepath.model.answers import StatusAnswer as StatusAnswer
    from codepath.model.answers import Step as Step
    from codepath.model.answers import StepsAnswer as StepsAnswer
    from codepath.model.answers import Symbol as Symbol
    from codepath.model.answers import SymbolsAnswer as SymbolsAnswer
    from codepath.model.answers import Truncation as Truncation
    from codepath.model.answers import Unresolved as Unresolved
    from codepath.model.answers import Via as Via
    from codepath.model.arch import ArchAnswer as ArchAnswer
    from codepath.model.arch import ArchEvidence as ArchEvidence
    from codepath.model.arch import ArchLookup as ArchLookup
    from codepath.model.arch import ArchRow as ArchRow
    from codepath.model.arch import ArchUse as ArchUse
    from codepath.model.arch import ExplainAnswer as ExplainAnswer
    from codepath.model.arch import ExplainedValue as ExplainedValue
    from codepath.model.assumptions import Assumption as Assumption
    from codepath.model.assumptions import Filled as Filled
    from codepath.model.assumptions import Met as Met
    from codepath.model.checks import Change as Change
    from codepath.model.checks import CheckAnswer as CheckAnswer
    from codepath.model.checks import DiffAnswer as DiffAnswer
    from codepath.model.checks import Fact as Fact
    from codepath.model.checks import Finding as Finding
    from codepath.model.checks import Known as Known
    from codepath.model.checks import Note as Note
    from codepath.model.checks import Rule as Rule
    from codepath.model.checks import RuleRun as RuleRun
    from codepath.model.detect import AttributeUse as AttributeUse
    from codepath.model.detect import DeadLookups as DeadLookups
    from codepath.model.detect import Detected as Detected
    from codepath.model.detect import FamilyAnswer as FamilyAnswer
    from codepath.model.detect import InstanceWrite as InstanceWrite
    from codepath.model.detect import Member as Member
    from codepath.model.detect import MismatchAnswer as MismatchAnswer
    from codepath.model.detect import Replaced as Replaced
    from codepath.model.detect import UsesAnswer as UsesAnswer
    from codepath.model.flags import Flag as Flag
    from codepath.model.flags import FlagsAnswer as FlagsAnswer
    from codepath.model.flags import FlagUse as FlagUse
    from codepath.model.hooks import Holder as Holder
    from codepath.model.hooks import HookAnswer as HookAnswer
    from codepath.model.hooks import HookRow as HookRow
    from codepath.model.hooks import HooksAnswer as HooksAnswer
    from codepath.model.hooks import Lookup as Lookup
    from codepath.model.hooks import Provider as Provider
    from codepath.model.orders import OrderAnswer as OrderAnswer
    from codepath.model.orders import OrderContext as OrderContext
    from codepath.model.orders import OrderSide as OrderSide
    from codepath.model.orders import SourceLine as SourceLine
    from codepath.model.pictures import Family as Family
    from codepath.model.pictures import FamilyClass as FamilyClass
    from codepath.model.pictures import FamilyMethod as FamilyMethod
    from codepath.model.pictures import Hop as Hop
    from codepath.model.pictures import Lane as Lane
    from codepath.model.pictures import Picture as Picture
    from codepath.model.pictures import PictureStep as PictureStep
    from codepath.model.places import Place as Place
    from codepath.model.siblings import Difference as Difference
    from codepath.model.siblings import Doing as Doing
    from codepath.model.siblings import Enumeration as Enumeration
    from codepath.model.siblings import FamilyMember as FamilyMember
    from codepath.model.siblings import MemberFamily as MemberFamily
    from codepath.model.siblings import MembersAnswer as MembersAnswer
    from codepath.model.siblings import Sibling as Sibling
    from codepath.model.siblings import SiblingsAnswer as SiblingsAnswer
    from codepath.model.trace import AbsentAnswer as AbsentAnswer
    from codepath.model.trace import AbsentLine as AbsentLine
    from codepath.model.trace import Assumed as Assumed
    from codepath.model.trace import Cause as Cause
    from codepath.model.trace import Evidence as Evidence
    from codepath.model.trace import Frame as Frame
    from codepath.model.trace import Log as Log
    from codepath.model.trace import LogFrame as LogFrame
    from codepath.model.trace import TraceAnswer as TraceAnswer
    from codepath.model.trace import Traceback as Traceback
    from codepath.model.values import AskedHook as AskedHook
    from codepath.model.values import NeededRead as NeededRead
    from codepath.model.values import NoneHop as NoneHop
    from codepath.model.values import Reader as Reader
    from codepath.model.values import UnsetRead as UnsetRead
    from codepath.model.values import ValuesAnswer as ValuesAnswer
    from codepath.model.values import Writer as Writer

_NAMES = {
    "codepath.app.api": ("Index", "check", "diff", "rules"),
    "codepath.errors": ("CodepathError", "ConfigError", "QueryError", "RuleError", "SourceError", "StoreError"),
    "codepath.model.answers": (
        "Bypass",
        "Contradiction",
        "EntriesAnswer",
        "Entry",
        "EventOrder",
        "Group",
        "Guard",
        "IndexAnswer",
        "NearestMiss",
        "Path",
        "ReachAnswer",
        "Reason",
        "Receiver",
        "RegistrySize",
        "Skipped",
        "SourceInfo",
        "Stats",
        "StatusAnswer",
        "Step",
        "StepsAnswer",
        "Symbol",
        "SymbolsAnswer",
        "Truncation",
        "Unresolved",
        "Via",
    ),
    "codepath.model.arch": (
        "ArchAnswer",
        "ArchEvidence",
        "ArchLookup",
        "ArchRow",
        "ArchUse",
        "ExplainAnswer",
        "ExplainedValue",
    ),
    "codepath.model.assumptions": ("Assumption", "Filled", "Met"),
    "codepath.model.checks": (
        "Change",
        "CheckAnswer",
        "DiffAnswer",
        "Fact",
        "Finding",
        "Known",
        "Note",
        "Rule",
        "RuleRun",
    ),
    "codepath.model.detect": (
        "AttributeUse",
        "DeadLookups",
        "Detected",
        "FamilyAnswer",
        "InstanceWrite",
        "Member",
        "MismatchAnswer",
        "Replaced",
        "UsesAnswer",
    ),
    "codepath.model.flags": ("Flag", "FlagUse", "FlagsAnswer"),
    "codepath.model.hooks": ("Holder", "HookAnswer", "HookRow", "HooksAnswer", "Lookup", "Provider"),
    "codepath.model.orders": ("OrderAnswer", "OrderContext", "OrderSide", "SourceLine"),
    "codepath.model.pictures": ("Family", "FamilyClass", "FamilyMethod", "Hop", "Lane", "Picture", "PictureStep"),
    "codepath.model.places": ("Place",),
    "codepath.model.siblings": (
        "Difference",
        "Doing",
        "Enumeration",
        "FamilyMember",
        "MemberFamily",
        "MembersAnswer",
        "Sibling",
        "SiblingsAnswer",
    ),
    "codepath.model.trace": (
        "AbsentAnswer",
        "AbsentLine",
        "Assumed",
        "Cause",
        "Evidence",
        "Frame",
        "Log",
        "LogFrame",
        "TraceAnswer",
        "Traceback",
    ),
    "codepath.model.values": ("AskedHook", "NeededRead", "NoneHop", "Reader", "UnsetRead", "ValuesAnswer", "Writer"),
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return found


def __dir__() -> list[str]:
    return [*globals(), *__all__]
