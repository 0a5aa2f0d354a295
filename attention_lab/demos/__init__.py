"""In a checkout, `attention_lab.demos` is the folder `demos/` at its top: this file loads that folder in its own place.

Whatever is installed holds the demos here, and not this file: `package-dir` in pyproject.toml maps them.
"""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the same files, under the name by which a type checker reads them
    from demos import DEMOS as DEMOS

FOLDER = Path(__file__).parents[2] / "demos"

_spec = spec_from_file_location(__name__, FOLDER / "__init__.py", submodule_search_locations=[str(FOLDER)])
if _spec is None or _spec.loader is None:
    raise ImportError(f"{FOLDER} cannot be imported.")
_module = module_from_spec(_spec)
_spec.loader.exec_module(_module)
sys.modules[__name__] = _module
