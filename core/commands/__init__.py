"""The verbs of the command line, one module each.

A verb's module carries its name and has ``add_parser(subparsers)`` and ``run(arguments)``, which
returns the exit code. It imports torch inside ``run``, so that ``--help`` and mistyped options
answer at once.
"""
