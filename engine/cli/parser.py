"""Parser of the command line: its errors suggest a remedy, its help states every default.

A verb also declares options that only have an effect together, or that contradict each other.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import pairwise
from math import isfinite
from typing import TYPE_CHECKING, Any, NoReturn, cast

from engine.core.printing import print_lines
from engine.core.visible_text import visible_line

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

RULES = "combinations"
"""Key of the rules in the parsed options."""


class Parser(argparse.ArgumentParser):
    """Parser of the program or of a verb. Parsers of verbs inherit its class."""

    def __init__(self, *words: Any, **options: Any) -> None:
        options.setdefault("formatter_class", Help)
        super().__init__(*words, **options)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse the arguments; refuse all that the verb does not have.

        The parser of a verb reports them itself, so that its own usage is shown.
        """
        words = sys.argv[1:] if args is None else list(args)
        if self.children is not None:
            return super().parse_known_args(words, namespace)
        # Before anything else: a missing option is often a misspelt one
        self._refuse_unknown(words)
        found, extras = super().parse_known_args(words, namespace)
        extras = self._place_late(extras, found)
        if extras:
            self.error(f"unexpected: {' '.join(extras)}. {self._advice(extras[0])}")
        return found, []

    @property
    def children(self) -> dict[str, Parser] | None:
        """Parsers of the verbs or actions by name; None for the parser of a single command."""
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):
                return cast("dict[str, Parser]", action.choices)
        return None

    def known_options(self) -> dict[str, bool]:
        """Return the options that the help shows; the value is True if the option takes a value."""
        return {
            flag: action.nargs != 0
            for action in self._actions
            if action.help is not argparse.SUPPRESS
            for flag in action.option_strings
        }

    def _refuse_unknown(self, words: Sequence[str]) -> None:
        """Refuse an option whose name no option of this verb begins with."""
        flags = self._option_string_actions
        before_end = words[: words.index("--")] if "--" in words else words
        for word, following in pairwise([*before_end, ""]):
            name, equals, _ = word.partition("=")
            if len(name) > 2 and name.startswith("--") and not _begins(name, flags):
                takes_next = not equals and following and not following.startswith("-")
                self.error(
                    f"unknown option {name}. "
                    f"{self._advice(f'{word} {following}' if takes_next else word)}"
                )

    def _advice(self, given: str) -> str:
        from engine.cli.suggestions import option_hint

        keys: Iterable[str] = ()
        if "--set" in self._option_string_actions:
            from engine.modalities.setting_list import all_keys

            keys = all_keys()
        hint = option_hint(given, self.known_options(), keys) if given.startswith("-") else ""
        return f"{hint} `{self.prog} --help` lists all options.".lstrip()

    def _place_late(self, extras: list[str], found: argparse.Namespace) -> list[str]:
        """Take an optional argument that follows an option, which Python 3.11 leaves over."""
        late = [a for a in self._actions if not a.option_strings and a.nargs == "?"]
        places = [each for each in extras if not each.startswith("-")]
        if len(late) != 1 or len(places) != 1 or len(extras) != 1:
            return extras
        action = late[0]
        if getattr(found, action.dest, None) not in (None, action.default):
            return extras
        action(self, found, self._get_values(action, places), None)
        return []

    def refuse_first(self, word: str) -> None:
        """Refuse an unknown option that precedes the verb.

        Parameters
        ----------
        word
            first word of the command line
        """
        name = word.partition("=")[0]
        if name == "-h" or (name.startswith("--") and _begins(name, self._option_string_actions)):
            return
        from engine.cli.suggestions import FIRST, option_hint

        hint = FIRST.get(name, "") or option_hint(word, self.known_options())
        self.error(f"unknown option {name}. {hint} Options follow a verb: `{self.prog} --help`.")

    def error(self, message: str) -> NoReturn:
        """Print the usage and the message, and exit with code 2."""
        # A name on the command line can contain a line break, and the message is one line
        super().error(visible_line(message))

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        from engine.cli.suggestions import did_you_mean, verb_hint

        if isinstance(action, argparse._SubParsersAction) and " " not in self.prog:
            hint = verb_hint(str(value), action.choices)
            # The usage of the program is one line; a list of all verbs would hide the suggestion
            self.error(f"{value!r} is not a verb. {hint} `{self.prog} --help` lists all verbs.")
        meant = did_you_mean(str(value), map(str, action.choices))
        known = ", ".join(map(str, action.choices))
        raise argparse.ArgumentError(action, f"{value!r} is not valid.{meant} Choose from {known}.")

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        # `Path("")` is the current folder, and an empty name would select a default. Both happen
        # when a script passes a variable that is not set. A verb receives the words of its options
        if "" in arg_strings and not isinstance(action, argparse._SubParsersAction):
            fault = "the value is empty; give one."
            if action.option_strings:
                fault = "the value is empty; give one, or remove the option."
            raise argparse.ArgumentError(action, fault)
        return super()._get_values(action, arg_strings)

    def _get_value(self, action: argparse.Action, arg_string: str) -> Any:
        no_number = _NO_NUMBER.get(action.type) if isinstance(action.type, type) else None
        try:
            value = super()._get_value(action, arg_string)
        except argparse.ArgumentError:
            if no_number is None:
                raise
            # Otherwise argparse names the Python type
            raise argparse.ArgumentError(action, no_number.format(arg_string)) from None
        # No option has a meaning for nan, inf, or a number beyond the range such as 1e400
        if isinstance(value, float) and not isfinite(value):
            raise argparse.ArgumentError(action, f"{arg_string!r} is not a finite number.")
        return value

    def _get_option_tuples(self, option_string: str) -> list[Any]:
        """Return the options that an abbreviation can mean, without hidden spellings."""
        found: list[Any] = super()._get_option_tuples(option_string)
        shown = [each for each in found if each[0].help is not argparse.SUPPRESS]
        return shown or found

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        # As argparse does: a closed stream must not replace the exit code
        with suppress(AttributeError, OSError):
            print_lines(message.removesuffix("\n"), file)


class Help(argparse.HelpFormatter):
    """Adds the default to each option with a value, unless its text states it."""

    def _get_help_string(self, action: argparse.Action) -> str | None:
        return help_of(action)


_NO_NUMBER = {int: "{!r} is not a whole number.", float: "{!r} is not a number."}


def help_of(action: argparse.Action) -> str | None:
    """Return the help text of an option with its default, as argparse formats it.

    Parameters
    ----------
    action
        option or argument of a parser
    """
    text = action.help
    if text is None or text is argparse.SUPPRESS or action.nargs == 0:
        return text
    if action.option_strings and action.required:
        return f"{text} (required)"
    default = action.default
    is_stated = "default" in text or default is None or default is argparse.SUPPRESS
    return text if is_stated else f"{text} (default: {_words(default)})"


def _words(default: Any) -> str:
    if isinstance(default, list | tuple):
        default = " ".join(map(_words, default))
    elif isinstance(default, float):
        default = f"{default:g}"
    return str(default).replace("%", "%%") or "none"


@dataclass(frozen=True)
class Rule:
    """A rule for one option of a verb.

    Attributes
    ----------
    option : option that needs or excludes the others; otherwise it would have no effect
    others : options, also with a value or a pattern, such as "--orbit helix" or "-o *.dcm"
    excludes : True if none of the others may be given; otherwise one of them must be
    defaults : (key, default) of each option that is named
    """

    option: str
    others: tuple[str, ...]
    excludes: bool
    defaults: dict[str, tuple[str, Any]]

    def fault(self, arguments: argparse.Namespace) -> str:
        """Return a sentence with both options and the remedy; empty if the options obey the rule.

        Parameters
        ----------
        arguments
            parsed options
        """
        if not self._is_given(self.option, arguments):
            return ""
        met = [each for each in self.others if self._is_given(each, arguments)]
        if self.excludes and met:
            return f"{self.option} and {met[0]} cannot be combined. Remove one."
        if not self.excludes and not met:
            others = " or ".join(self.others)
            return (
                f"{self.option} has an effect only with {others}. Add it, or remove {self.option}."
            )
        return ""

    def _is_given(self, words: str, arguments: argparse.Namespace) -> bool:
        """Return True if an option differs from its default, or has the value in the words."""
        option, _, value = words.partition(" ")
        key, default = self.defaults[option]
        found = getattr(arguments, key)
        return fnmatchcase(str(found).lower(), value) if value else found != default


def needs(p: argparse.ArgumentParser, option: str, *others: str) -> None:
    """Refuse an option without one of the others.

    Parameters
    ----------
    p
        parser of a verb that has all these options
    option
        option that has an effect only with one of the others
    others
        options, also with a value, such as "--orbit helix"
    """
    _add(p, option, others, excludes=False)


def excludes(p: argparse.ArgumentParser, option: str, *others: str) -> None:
    """Refuse an option together with any of the others.

    Parameters
    ----------
    p
        parser of a verb that has all these options
    option
        option that contradicts the others
    others
        options, also with a value, such as "--orbit parallel"
    """
    _add(p, option, others, excludes=True)


def contradiction(arguments: argparse.Namespace) -> str:
    """Return a sentence about the first option that would have no effect; empty if there is none.

    Parameters
    ----------
    arguments
        parsed options of a verb
    """
    faults = (rule.fault(arguments) for rule in getattr(arguments, RULES, ()))
    return next(filter(None, faults), "")


def _add(
    p: argparse.ArgumentParser, option: str, others: tuple[str, ...], *, excludes: bool
) -> None:
    defaults = dict(_defaults(p, (option, *others)))
    rule = Rule(option, others, excludes, defaults)
    p.set_defaults(**{RULES: (*(p.get_default(RULES) or ()), rule)})


def _defaults(
    p: argparse.ArgumentParser, words: tuple[str, ...]
) -> Iterator[tuple[str, tuple[str, Any]]]:
    for option in (each.partition(" ")[0] for each in words):
        action = p._option_string_actions[option]
        yield option, (action.dest, action.default)


def leaves(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """Yield the parsers of all commands inside a parser.

    Parameters
    ----------
    parser
        parser of the program or of a verb
    """
    children = parser.children if isinstance(parser, Parser) else None
    if children is None:
        yield parser
        return
    for child in children.values():
        yield from leaves(child)


def _begins(name: str, flags: Iterable[str]) -> bool:
    return any(flag.startswith(name) for flag in flags)
