"""In a checkout, `attention_lab.demos` is the folder `demos/` at its top: this file loads that folder in its own place.

Whatever is installed holds the demos here, and not this file: `package-dir` in pyproject.toml maps them.
"""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the same file, under the name by which a type checker reads it
    from demos import DEMOS as DEMOS
else:
    folder = Path(__file__).parents[2] / "demos"
    spec = spec_from_file_location(__name__, folder / "__init__.py", submodule_search_locations=[str(folder)])
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.modules[__name__] = module
