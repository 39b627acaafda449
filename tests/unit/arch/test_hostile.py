"""Code that is made to be hard: it costs an answer, never the program."""

from __future__ import annotations

from tests.unit.arch.asking import evaluated, rows_of

PROBE = "import torch\n\ndef major():\n    return torch.cuda.get_device_capability()[0]\n\n"


def test_deep_expressions() -> None:
    deep = " + ".join(["major()"] * 400)
    nested = "(" * 60 + "major()" + ")" * 60
    rows = rows_of(f"{PROBE}def f():\n    if {deep} > 3:\n        return 1\n    return {nested}\n")
    assert rows == []


def test_recursion_and_cycles() -> None:
    files = {
        "a.py": f"import b\n{PROBE}X = b.Y\n\ndef f(n):\n    return f(n) if major() == 10 else g(n)\n"
        "\ndef g(n):\n    return f(n + 1)\n",
        "b.py": "import a\nY = a.X\n\nclass K(a.L if a.X else object):\n    pass\n",
    }
    evaluated(files).answer()


def test_huge_numbers_and_texts() -> None:
    rows = rows_of(
        f"{PROBE}def f():\n    n = major()\n    a = 10 ** n ** n\n    b = 'x' * 10 ** 9 * n\n    c = n << 100000\n"
        "    if a == b == c:\n        return 1\n    return [0] * 10 ** 9\n"
    )
    assert rows == []


def test_many_modules_that_ask_each_other() -> None:
    files = {f"m{n}.py": f"import m{n + 1}\nif m{n + 1}.X:\n    X = m{n + 1}.X\nelse:\n    X = 1\n" for n in range(120)}
    files["m120.py"] = f"{PROBE}X = major() == 10\n"
    files["use.py"] = "import m0\n\ndef f():\n    return 1 if m0.X else 2\n"
    evaluated(files).answer()
