"""What an option is, declared once, and all that is derived from it: parser, checks, help, completion, echo."""

from attention_lab.options.echo import command_words, flag_words
from attention_lab.options.option import (
    Option,
    check_value,
    check_values,
    do_not_combine,
    option_of,
    signature_options,
    with_defaults,
)
from attention_lab.options.param import Param
from attention_lab.options.parser import Parser, add_options, parser_for, read_words, values_of
from attention_lab.options.shared import Seed, Text

__all__ = [
    "Option",
    "Param",
    "Parser",
    "Seed",
    "Text",
    "add_options",
    "check_value",
    "check_values",
    "command_words",
    "do_not_combine",
    "flag_words",
    "option_of",
    "parser_for",
    "read_words",
    "signature_options",
    "values_of",
    "with_defaults",
]
