"""From what running showed to rows with verdicts: branches, asserts and conditional expressions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from codepath.analysis.arch import shapes
from codepath.analysis.arch.callers import Callers
from codepath.analysis.arch.kernels import Kernels
from codepath.analysis.arch.record import Notes, step
from codepath.analysis.arch.shapes import Chain
from codepath.analysis.arch.sites import (
    ABSENT,
    KINDS,
    Draft,
    Site,
    condition,
    generation,
    is_left_open,
    is_short,
    names_it,
    numbers,
    sets_tiles,
    short,
    switches_off,
    taken_arms,
)
from codepath.analysis.arch.source import Comments
from codepath.analysis.arch.spread import Spread
from codepath.analysis.arch.values import Val
from codepath.analysis.arch.words import Words, is_and_later, is_tuned
from codepath.model import ir
from codepath.model.answers import Place
from codepath.model.arch import MISSES, ArchEvidence, ArchLookup
from codepath.model.knowledge import Architecture
from codepath.program.bodies import Body
from codepath.program.tree import ScopeInfo


class Judge:
    """Judges branches. `archs` are the columns, in order of their capability."""

    def __init__(self, spread: Spread, words: Words, comments: Comments, kernels: Kernels) -> None:
        self.spread = spread
        self.words = words
        self.comments = comments
        self.kernels = kernels
        self.callers = Callers(spread)
        self.archs: Sequence[Architecture] = [m.arch for m in spread.machines]

    # --- what is there -------------------------------------------------------------------------------------------------

    def sites(self, info: ScopeInfo) -> Iterator[Site]:
        """Yield the branches of a scope that depend on the architecture."""
        body = self.spread.world.bodies.of(info)
        notes = tuple(m.record.notes.get(info.sid) for m in self.spread.machines)
        if not any(n is not None and any(v.trail is not None for v in n.tests.values()) for n in notes):
            return
        for chain in shapes.chains(body.scope):
            dependent = self._dependent(body, chain, notes)
            if dependent:
                taken = tuple(taken_arms(chain, n) for n in notes)
                yield Site(body, chain, notes, taken, dependent)

    def _dependent(self, body: Body, chain: Chain, notes: Sequence[Notes | None]) -> tuple[int, ...]:
        tested = [atom for arm in chain.arms for atom in shapes.atoms(body.scope.exprs, arm.test)]
        found = tuple(atom for atom in tested if self.depends(atom, notes))
        if chain.form == "value" and not self._is_mixed(chain.arms[0].test, notes):
            return ()
        return found

    def _is_mixed(self, index: int, notes: Sequence[Notes | None]) -> bool:
        """Tell whether more than the architecture decides a value; else it is a predicate, judged where it is tested."""
        return any(n is not None and index in n.tests and n.tests[index].data is None for n in notes)

    def depends(self, index: int, notes: Sequence[Notes | None]) -> bool:
        """Tell whether a condition is known, and not the same, on all architectures that reach it.

        What more than the architecture decides is judged where it is stored or returned.
        """
        seen = [n.tests[index] for n in notes if n is not None and index in n.tests]
        if not any(v.trail is not None for v in seen) or any(v.data is None for v in seen):
            return False
        return len({v.data for v in seen}) > 1

    def born(self, index: int, notes: Sequence[Notes | None]) -> bool:
        """Tell whether a probe had a part in a condition."""
        return any(n is not None and index in n.tests and n.tests[index].trail is not None for n in notes)

    # --- verdicts ------------------------------------------------------------------------------------------------------

    def judge(self, site: Site) -> Draft:
        """Return the row of a branch."""
        draft = self._draft(site)
        for column, arch in enumerate(self.archs):
            self._judge(site, draft, column, arch)
            if draft.verdicts[arch.name] in MISSES and self.callers.keep_out(site.info, column):
                draft.say(arch.name, "excluded", "not reached: each caller asks first, and goes elsewhere")
        return draft

    def _judge(self, site: Site, draft: Draft, column: int, arch: Architecture) -> None:
        arms = site.arms[column]
        if arms is None:
            draft.say(arch.name, "excluded", "not reached: refused or handled before")
            return
        refused = self._refused(site, column)
        if refused is not None:
            draft.say(arch.name, *refused)
            return
        lacking = self._kernel(site, column)
        if lacking is not None:
            draft.say(arch.name, "crash", lacking)
            return
        elder = self._elder(column)
        if elder is None or site.arms[elder] is None or arms == site.arms[elder]:
            draft.say(arch.name, *(self._silent(site, column) or ("covered", "as on its neighbours")))
            return
        draft.say(arch.name, *self._differs(site, column, elder))

    def _elder(self, column: int) -> int | None:
        """Return the architecture to compare with: the oldest of the same family that is older, else the next newer one."""
        arch = self.archs[column]
        for other, one in enumerate(self.archs):
            if one.family == arch.family and one.capability < arch.capability:
                return other
        newer = [c for c, one in enumerate(self.archs) if one.capability > arch.capability]
        return newer[0] if newer else None

    def _differs(self, site: Site, column: int, elder: int) -> tuple[str, str]:
        """Return the verdict where an architecture does not go where its elder goes."""
        arch, other = self.archs[column], self.archs[elder]
        if other.capability > arch.capability:
            return self._older(site, column, elder)
        if self._own(site, column, elder):
            return "covered", "has a branch of its own"
        last = len(site.chain.arms) - 1
        is_else = site.chain.arms[last].is_else and site.arms[column] == frozenset({last})
        if self._own(site, column, elder, left_out=True):
            is_shared = is_else and sum(arms == site.arms[column] for arms in site.arms) > 1
            return ("excluded", "a test leaves it out") if is_shared else ("covered", "has a branch of its own")
        if self._denied(site, elder, column):
            return "covered", f"not denied what {other.name} is denied"
        if self._bounded(site, column, elder):
            return "excluded", "left out by an upper bound"
        if is_left_open(site.body.scope.exprs, site.chain.arms, site.arms[column] or frozenset()):
            return "covered", "leaves the choice to what is called: `auto`"
        if names_it(site.body.scope, site.chain, site.arms[column] or frozenset(), arch):
            return "covered", "what it chooses instead is made for it"
        if self._answers(site, column):
            return "excluded", "an explicit list of what is supported"
        said = self._arm_comments(site, last) if is_else else ""
        if self.words.needs_others(said, arch.name):
            return "excluded", "a comment says which architectures are meant"
        if is_else and self.words.speaks_of_others(said, arch.name):
            return "silent", "takes a branch whose comment speaks of other architectures"
        if self.words.excludes(self._comments(site, column), arch.name):
            return "excluded", "a comment says which architectures are meant"
        return "fallback", f"does not take what {other.name} takes, and nothing says that this is meant"

    def _older(self, site: Site, column: int, newer: int) -> tuple[str, str]:
        """Return the verdict for an architecture without an elder in its family, by the next newer one."""
        if self._own(site, column, newer) or self._own(site, column, newer, left_out=True):
            return "covered", "has a branch of its own"
        if self._denied(site, newer, column):
            return "covered", f"not denied what {self.archs[newer].name} is denied"
        mine, theirs = site.arms[column], site.arms[newer]
        last = len(site.chain.arms) - 1
        if mine == frozenset({last}) and theirs is not None and theirs != mine:
            return "fallback", f"does not take what {self.archs[newer].name} takes"
        return "covered", "has a branch of its own"

    def _answers(self, site: Site, column: int) -> bool:
        """Tell whether a branch says that something is not supported: what it returns, in a function that asks for it."""
        asks = "support" in site.info.id.lower()
        if site.chain.form == "value":
            return asks
        taken = site.arms[column] or frozenset()
        for number in taken if len(taken) == 1 else ():
            body = site.chain.arms[number].body
            last = body[-1] if body else None
            if isinstance(last, ir.Return) and last.value >= 0:
                value = site.body.scope.exprs[last.value]
                first = value.items[0] if isinstance(value, ir.Sequence) and value.items else last.value
                denied = site.body.scope.exprs[first]
                is_no = isinstance(denied, ir.Const) and denied.value is False
                if is_no and (asks or self.words.demands(shapes.text_of(site.body.scope.exprs, last.value))):
                    return True
        return False

    def _own(self, site: Site, column: int, elder: int, *, left_out: bool = False) -> bool:
        """Tell whether a test that names this architecture, or only newer ones than the elder, chose the branch.

        `left_out`: one that holds for all but what it names.
        """
        for index in site.dependent:
            expr = site.body.scope.exprs[index]
            mine, theirs = self._at(site, column, index), self._at(site, elder, index)
            if left_out != (isinstance(expr, ir.Compare) and expr.ops in (("!=",), ("not in",))):
                continue
            if (theirs if left_out else mine) is True and (mine if left_out else theirs) is False:
                return True
        return False

    def _at(self, site: Site, column: int, index: int) -> object:
        notes = site.notes[column]
        return notes.tests[index].data if notes is not None and index in notes.tests else ABSENT

    def _denied(self, site: Site, elder: int, column: int) -> bool:
        """Tell whether what the elder takes and this one does not is a refusal or switches something off."""
        theirs = (site.arms[elder] or frozenset()) - (site.arms[column] or frozenset())
        for number in theirs:
            body = site.chain.arms[number].body
            if body and (shapes.refusal(body) is not None or switches_off(site.body.scope.exprs, body)):
                return True
        return False

    def _bounded(self, site: Site, column: int, elder: int) -> bool:
        for index in site.dependent:
            expr = site.body.scope.exprs[index]
            if isinstance(expr, ir.Compare) and all(op in ("<", "<=", ">", ">=") for op in expr.ops):
                mine, theirs = self._at(site, column, index), self._at(site, elder, index)
                if {mine, theirs} == {True, False}:
                    return True
        return False

    # --- refusals ------------------------------------------------------------------------------------------------------

    def _refused(self, site: Site, column: int) -> tuple[str, str] | None:
        """Return the verdict where the branch certainly, or for all that is known, raises here and not everywhere."""
        refusing = self._refusing(site)
        mine = site.arms[column]
        if mine is None or not refusing & mine:
            return None
        if all(arms is None or refusing & arms for arms in site.arms):
            return None
        if not self._decides(site, column, refusing):
            return None
        message = self._message(site, refusing & mine)
        arch = self.archs[column]
        if self._enumerates(site, column):
            return "crash", f"not among the listed architectures: {self._raises(site, refusing & mine)}"
        if self.words.demands(message) or self.words.refuses(message, arch.name) or self._bounded_below(site, column):
            return "excluded", "refused with a message that says what is required"
        if self.words.excludes(self._comments(site, column), arch.name):
            return "excluded", "a comment says which architectures are meant"
        return "crash", self._raises(site, refusing & mine)

    def _raises(self, site: Site, arms: frozenset[int]) -> str:
        """Return what is raised, as a person sees it."""
        exprs = site.body.scope.exprs
        if site.chain.form == "assert":
            text = shapes.said(exprs, site.chain.message)
            if not text:
                return f"the assertion `{_cut(site.chain.texts[0])}` fails"
        else:
            found = (shapes.refusal(site.chain.arms[number].body) for number in sorted(arms))
            text = next((said for one in found if one is not None and (said := shapes.said(exprs, one.exc))), "")
        return f"raises: {_cut(text)}" if text else "raises without a message"

    def _decides(self, site: Site, column: int, refusing: frozenset[int]) -> bool:
        """Tell whether a test that depends on the architecture, and not the rest of a condition, makes it raise."""
        mine = site.arms[column] or frozenset()
        if mine <= refusing:
            return True
        return any(arms is not None and not refusing & arms for arms in site.arms)

    def _refusing(self, site: Site) -> frozenset[int]:
        """Return the arms that certainly raise."""
        if site.chain.form == "assert":
            return frozenset({1})
        if site.chain.form != "if":
            return frozenset()
        found = {n for n, arm in enumerate(site.chain.arms) if shapes.refusal(arm.body) is not None}
        return frozenset(found)

    def _message(self, site: Site, arms: frozenset[int]) -> str:
        exprs = site.body.scope.exprs
        if site.chain.form == "assert":
            return shapes.text_of(exprs, site.chain.message)
        texts = []
        for number in sorted(arms):
            raised = shapes.refusal(site.chain.arms[number].body)
            if raised is not None:
                texts.append(shapes.text_of(exprs, raised.exc))
        return " ".join(texts)

    def _enumerates(self, site: Site, column: int) -> bool:
        """Tell whether the test lists the architectures of several generations up to one that is older than this."""
        notes = site.notes[column]
        for index in site.dependent:
            expr = site.body.scope.exprs[index]
            if not isinstance(expr, ir.Compare) or expr.ops not in (("in",), ("not in",)) or notes is None:
                continue
            listed = site.body.scope.exprs[expr.rights[0]]
            found = numbers(site.body.scope.exprs, listed)
            if len(found) >= 3 and generation(max(found)) < self.archs[column].capability[0]:
                return True
        return False

    def _bounded_below(self, site: Site, column: int) -> bool:
        """Tell whether it is a lower bound that this architecture does not reach."""
        arch = self.archs[column]
        newer = [c for c, one in enumerate(self.archs) if one.capability > arch.capability]
        for index in site.dependent:
            expr = site.body.scope.exprs[index]
            if isinstance(expr, ir.Compare) and expr.ops[0] in ("<", "<=", ">", ">="):
                mine = self._at(site, column, index)
                if newer and all(self._at(site, c, index) not in (mine, ABSENT) for c in newer):
                    return True
        return False

    # --- values and kernels of another architecture ----------------------------------------------------------------------

    def _kernel(self, site: Site, column: int) -> str | None:
        """Return what a branch runs that is not built for an architecture which its test lets through."""
        taken = site.arms[column]
        if taken is None or site.chain.form != "if" or self._is_named(site, column):
            return None
        for number in sorted(taken):
            if self._selective(site, number) and self._is_asked(site, number):
                certain = taken == {number}
                found = self.kernels.lacking(site.body, site.chain, number, column, certain=certain)
                if found:
                    return found
        return None

    def _is_named(self, site: Site, column: int) -> bool:
        """Tell whether another test of the function holds because it names this architecture: who wrote it knows of it."""
        notes = site.notes[column]
        exprs = site.body.scope.exprs
        for index, seen in notes.tests.items() if notes is not None else ():
            expr = exprs[index]
            if (
                seen.data is True
                and seen.trail is not None
                and index not in site.dependent
                and isinstance(expr, ir.Compare)
            ):
                right = exprs[expr.rights[0]]
                named = [right.value] if isinstance(right, ir.Const) else numbers(exprs, right)
                majors = {generation(n) for n in named if isinstance(n, int) and not isinstance(n, bool)}
                if expr.ops in (("==",), ("in",)) and majors == {self.archs[column].capability[0]}:
                    return True
        return False

    def _is_asked(self, site: Site, number: int) -> bool:
        """Tell whether a probe has a part in the test of an arm, or the arm is what is left over."""
        test = site.chain.arms[number].test
        return test < 0 or any(self.born(atom, site.notes) for atom in shapes.atoms(site.body.scope.exprs, test))

    def _selective(self, site: Site, number: int) -> bool:
        """Tell whether some architecture is kept from an arm."""
        return any(arms is not None and number not in arms for arms in site.arms)

    def _silent(self, site: Site, column: int) -> tuple[str, str] | None:
        """Return the verdict where an architecture takes values made for one with more shared memory."""
        taken = site.arms[column] or frozenset()
        arch = self.archs[column]
        for number in sorted(taken):
            arm = site.chain.arms[number]
            elders = [c for c, a in enumerate(site.arms) if a is not None and number in a and c < column]
            if arm.test < 0 or not elders or not arch.shared_memory or not self._selective(site, number):
                continue
            model = self.archs[elders[0]]
            said = self._arm_comments(site, number)
            if model.shared_memory <= arch.shared_memory or arch.name in self.words.by_number(said):
                continue
            if any(is_and_later(getattr(site.body.scope.exprs[i], "id", "")) for i in site.dependent):
                continue
            if sets_tiles(site.body.scope.exprs, arm.body):
                return "silent", f"takes tile sizes chosen for {model.name}, which has more shared memory"
            if is_tuned(said):
                return "silent", f"takes a choice that was measured on {model.name}"
        return None

    # --- texts -----------------------------------------------------------------------------------------------------------

    def _comments(self, site: Site, column: int) -> str:
        """Return the comments around a branch: above it, in its condition, and at the start of its arms."""
        path = site.info.module.path
        line = ir.line_of(site.chain.at)
        found = [self.comments.above(path, line)]
        if site.info.form == "function" and is_short(site):
            found.append(self.comments.above(path, ir.line_of(site.info.at)))
        found.append(self.comments.between(path, line, site.chain.arms[0].first + 8))
        return "\n\n".join(part for part in found if part)

    def _arm_comments(self, site: Site, number: int) -> str:
        arm = site.chain.arms[number]
        return self.comments.between(site.info.module.path, arm.first, min(arm.last, arm.first + 10))

    def _draft(self, site: Site) -> Draft:
        exprs = site.body.scope.exprs
        first = exprs[self._first(site)].at
        name = f"{short(site.info)}: {condition(site)}"
        draft = Draft(name, self.place(site.info, first), KINDS[site.chain.form], self._keys(site))
        draft.tested = frozenset(site.dependent)
        for index in site.dependent[1:]:
            style = "compare" if isinstance(exprs[index], ir.Compare) else "predicate"
            draft.lookups.append(ArchLookup(self.place(site.info, exprs[index].at), style))
        value = self._sample(site)
        draft.evidence.extend(self.trail(value))
        draft.group = self.root(site.info, value)
        return draft

    def _first(self, site: Site) -> int:
        """Return the first condition of a branch in which a probe has a part, the same on all columns or not."""
        for arm in site.chain.arms:
            for atom in shapes.atoms(site.body.scope.exprs, arm.test):
                if self.born(atom, site.notes):
                    return atom
        return site.dependent[0]

    def _sample(self, site: Site) -> Val | None:
        for notes in site.notes:
            for index in site.dependent:
                if notes is not None and index in notes.tests and notes.tests[index].trail is not None:
                    return notes.tests[index]
        return None

    def trail(self, value: Val | None) -> Iterator[ArchEvidence]:
        """Yield the steps of a value from the probe on."""
        for one in step(value.trail if value is not None else None):
            line, column = ir.line_of(one.at), ir.column_of(one.at)
            yield ArchEvidence(one.what, Place(one.file, line, column, "") if one.file else None)

    def root(self, info: ScopeInfo, value: Val | None) -> str:
        """Return what rows of one cause share: the place of the probe, where that is in the same file."""
        steps = [s for s in step(value.trail if value is not None else None) if s.file]
        if steps and steps[0].file == info.module.path:
            return f"{steps[0].file}:{ir.line_of(steps[0].at)}"
        return info.name

    def _keys(self, site: Site) -> tuple[str, ...]:
        found = []
        for column, arch in enumerate(self.archs):
            if any(
                self._at(site, column, i) is not False for i in site.dependent if self._at(site, column, i) != ABSENT
            ):
                found.append(arch.name)
        return tuple(found)

    def place(self, info: ScopeInfo, at: int) -> Place:
        """Return a packed place of a scope."""
        return Place(info.module.path, ir.line_of(at), ir.column_of(at), info.name)


def _cut(text: str) -> str:
    """Return a text on one line, of at most so many characters."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


_LONGEST = 100
