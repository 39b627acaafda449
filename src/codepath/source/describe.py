"""What an installed distribution consists of: a self-contained module; other Pythons, from 3.8, run its text with `-c`.

Nothing of the distribution is imported and no `.pth` file obeyed: run with `-I -S`, it finds the module path itself.
"""

import json
import os
import sys
from importlib import metadata


def site_folders():
    # type: () -> list[str]
    """Return the folders of installed packages that this Python would use if it had been started without `-S`."""
    if not sys.flags.no_site:
        return sys.path
    import site

    prefixes = [sys.prefix, sys.exec_prefix]
    above = os.path.dirname(os.path.dirname(os.path.abspath(sys.executable)))
    if os.path.exists(os.path.join(above, "pyvenv.cfg")):
        prefixes = [above]
        with open(os.path.join(above, "pyvenv.cfg"), encoding="utf-8") as file:
            settings = dict(line.lower().replace(" ", "").strip().partition("=")[::2] for line in file)
        if settings.get("include-system-site-packages") == "true":
            prefixes += [sys.base_prefix, sys.base_exec_prefix]
    folders = [*site.getsitepackages(prefixes), site.getusersitepackages()]
    return [folder for folder in dict.fromkeys(folders) if os.path.isdir(folder)]


def describe(name):
    # type: (str) -> dict[str, object]
    """Return files, version and console scripts of a distribution, or the names of all where it is not installed."""
    folders = site_folders()
    found = next(iter(metadata.distributions(name=name, path=folders)), None)
    if found is None:
        names = {item.metadata["Name"] for item in metadata.distributions(path=folders)}
        return {"names": sorted(filter(None, names))}
    points = [point for point in found.entry_points if point.group == "console_scripts"]
    return {
        "root": os.path.abspath(str(found.locate_file(""))),
        "files": None if found.files is None else [str(file) for file in found.files if file.suffix == ".py"],
        "top_level": (found.read_text("top_level.txt") or "").split(),
        "version": found.version,
        "scripts": [[point.name, point.value] for point in points],
        "direct_url": found.read_text("direct_url.json"),
    }


if __name__ == "__main__":
    print(json.dumps(describe(sys.argv[1])))
