"""Print the lower bounds of setup.cfg as pip constraints: ``python tests/lowest.py setup.cfg``."""

import configparser
import re
import sys
from pathlib import Path

REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+)\s*>=\s*([A-Za-z0-9.]+)$")


def lower_bounds(setup_cfg):
    """Return {package: lowest version} over the requirements and the extra ``test``; each must have a bound."""
    config = configparser.ConfigParser(interpolation=None)
    config.read_string(Path(setup_cfg).read_text(encoding="utf-8"))
    lines = config["options"]["install_requires"] + "\n" + config["options.extras_require"]["test"]
    bounds = {}
    for line in filter(None, map(str.strip, lines.splitlines())):
        match = REQUIREMENT.fullmatch(line)
        if match is None:
            raise SystemExit(f"{setup_cfg}: {line!r} is not of the form name>=version")
        bounds[match[1]] = match[2]
    return bounds


if __name__ == "__main__":
    for name, version in lower_bounds(sys.argv[1]).items():
        sys.stdout.write(f"{name}=={version}\n")
