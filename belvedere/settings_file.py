"""Prints the ``config.yaml`` that lists every setting with its default: ``python -m belvedere.settings_file``."""

import sys

from belvedere.settings import default_config_text

if __name__ == "__main__":
    sys.stdout.write(default_config_text())
