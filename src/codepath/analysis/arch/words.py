"""Architectures that a comment, a message or a name speaks of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from codepath.model.knowledge import Architecture

_SM = re.compile(
    r"(?<![a-z0-9])sm[ _-]?(?:[<>=]=?\s*)?(\d{2,3})([a-z+]?)((?:\s*[/,]\s*(?:sm[ _-]?)?\d{2,3}[a-z]?)*)", re.IGNORECASE
)
_MAJOR = re.compile(r"(?<![\w.])(\d{1,2})\.(x|\d)(?![\w.])")
_NUMBER = re.compile(r"\d{2,3}")
_REASON = re.compile(
    r"\b(support\w*|only|require\w*|exclud\w*|benefit\w*|not compatible|due to|intention\w*|disabl\w*|limited|"
    r"incompatible|issue|crash\w*|fail\w*)\b",
    re.IGNORECASE,
)
_DEMAND = re.compile(
    r"\b(requires?|only|needs?|please|must|at least|minimum|not compatible|or newer|and above)\b|"
    r"\bsupported( (on|archs?|architectures?|gpus?|devices|sms?|capabilit\w+|compute capabilit\w+))?( are| is)?\s*[:=]",
    re.IGNORECASE,
)
_REFUSED = re.compile(r"\b(not (yet )?(be )?supported|unsupported|not compatible|cannot)\b", re.IGNORECASE)
_TUNED = re.compile(r"\b(heuristic\w*|tuned|benchmark\w*|empirical\w*)\b", re.IGNORECASE)
_LATER = re.compile(r"(plus|later|newer|above|min|least|_or_|support|ge\b|or_higher)", re.IGNORECASE)

_AND_LATER = re.compile(r"\d(_?plus|_(and|or)_(later|newer|above|higher|up))$", re.IGNORECASE)


class Words:
    """Finds architectures in texts, by their numbers, families and devices."""

    def __init__(self, archs: Sequence[Architecture]) -> None:
        self._archs = archs
        self._families = {a.family for a in archs}
        self._devices = {
            a.name: re.compile("|".join(_device(d) for d in a.devices) or r"(?!)", re.IGNORECASE) for a in archs
        }

    def named(self, text: str) -> frozenset[str]:
        """Return the architectures that a text speaks of."""
        found: set[str] = set()
        numbers: set[int] = set()
        for match in _SM.finditer(text):
            numbers.update(int(n) for n in _NUMBER.findall(match.group()))
            if match[2].lower() == "x":
                numbers.update(range(int(match[1]) * 10, int(match[1]) * 10 + 10))
            if match[2] == "+" or text[match.end() : match.end() + 1] == "+":  # and all later ones
                last = int(_NUMBER.findall(match.group())[-1])
                numbers.update(n for n in map(_number, self._archs) if n >= last)
        lower = text.lower()
        for arch in self._archs:
            is_device = self._devices[arch.name].search(text) is not None
            if _number(arch) in numbers or arch.family in lower or is_device:
                found.add(arch.name)
        for match in _MAJOR.finditer(text):
            for arch in self._archs:
                if arch.capability[0] == int(match[1]) and match[2] in ("x", str(arch.capability[1])):
                    found.add(arch.name)
        return frozenset(found)

    def by_number(self, text: str) -> frozenset[str]:
        """Return the architectures that a text names, by number or device, without what it says of families."""
        bare = text
        for family in self._families:
            bare = re.sub(family, "", bare, flags=re.IGNORECASE)
        return self.named(bare)

    def precisely(self, text: str) -> frozenset[str]:
        """Return the architectures that a text names by number or device where it does, else by family."""
        return self.by_number(text) or self.named(text)

    def excludes(self, comment: str, arch: str) -> bool:
        """Tell whether a comment gives a reason that holds for other architectures only, or names this one."""
        for sentence in _sentences(comment):
            found = self.precisely(sentence)
            if found and arch not in found and _REASON.search(sentence):
                return True
            if arch in found and re.search(r"\b(not|exclud\w*|never|unlike|except)\b", sentence, re.IGNORECASE):
                return True
        return False

    def speaks_of_others(self, comment: str, arch: str) -> bool:
        """Tell whether a comment names architectures, and not this one."""
        found = self.precisely(comment)
        return bool(found) and arch not in found

    def needs_others(self, comment: str, arch: str) -> bool:
        """Tell whether a comment says that something needs architectures, of which this is none."""
        return any(
            _DEMAND.search(part) and (found := self.by_number(part)) and arch not in found
            for part in _sentences(comment)
        )

    def demands(self, message: str) -> bool:
        """Tell whether a message says what is required rather than that something is unheard of."""
        return bool(self.named(message)) and bool(_DEMAND.search(message))

    def refuses(self, message: str, arch: str) -> bool:
        """Tell whether a message says that this architecture is not supported."""
        return arch in self.named(message) and bool(_REFUSED.search(message))

    def is_family(self, name: str) -> frozenset[str]:
        """Return the architectures of the one family in a name such as `is_hopper`; none where it may mean a bound."""
        words = set(re.split(r"[^a-z]+", name.lower()))
        found = words & self._families
        if len(found) != 1 or _LATER.search(name):
            return frozenset()
        return frozenset(a.name for a in self._archs if a.family in found)


def is_tuned(comment: str) -> bool:
    """Tell whether a comment says that numbers were found by measuring."""
    return bool(_TUNED.search(comment))


def is_and_later(name: str) -> bool:
    """Tell whether a name such as `is_sm90_plus` says that it means all later architectures too."""
    return _AND_LATER.search(name) is not None


def _number(arch: Architecture) -> int:
    return arch.capability[0] * 10 + arch.capability[1]


def _device(name: str) -> str:
    """Return a pattern for a device's name, which stands for its longer names too."""
    return r"(?<![A-Za-z0-9])" + re.escape(name) + r"(?![0-9])"


def _sentences(comment: str) -> Iterable[str]:
    return [part for part in re.split(r"(?<=[.;])\s+|\n\n", comment) if part.strip()]
