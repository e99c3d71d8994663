"""The front door: `create_app()` for a web server, `python app.py <command>` for people."""

import os
import sys

# Before any import that an older Python could not read.
if sys.version_info < (3, 11):  # noqa: UP036
    sys.exit(f"Carreira needs Python 3.11 or newer; this is {sys.version.split()[0]}.")


def create_app(config=None):
    """The Flask app; `config` stands for the environment's CARREIRA_* variables."""
    from pbem.service import Service  # noqa: PLC0415
    from pbem.web.app import build, warm_up  # noqa: PLC0415

    app = build(Service.from_environment(os.environ if config is None else config))
    warm_up(app)
    return app


if __name__ == "__main__":
    try:
        from pbem.cli import main
    except ModuleNotFoundError as missing:
        sys.exit(f"Carreira lacks the package {missing.name!r}: run `make install`.")
    sys.exit(main(sys.argv[1:]))
