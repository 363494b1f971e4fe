"""The verbs of the command line, one module each.

A verb's module carries its name. One that asks a task has a ``VERB``, see
:mod:`core.commands.task_verbs`; any other ``add_parser(subparsers)`` and ``run(arguments)``, which
returns the exit code. No module imports torch before a verb runs, so that ``--help`` and mistyped
options answer at once.
"""
