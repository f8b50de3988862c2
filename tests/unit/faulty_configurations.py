"""Configurations with one fault each, and how the line about it begins."""

from centinel.record import Json

TOWN = "town:\n  site: https://town.example/\n"

FAULTY_SOURCES: dict[str, tuple[str, str]] = {
    "an unknown key": (
        "town:\n  site: https://town.example/\n  excludes: []\n",
        "sources.yaml: town: unknown key 'excludes': did you mean 'exclude'?",
    ),
    "a key like no other": (
        "town:\n  site: https://town.example/\n  zzz: 1\n",
        "sources.yaml: town: unknown key 'zzz': take it out",
    ),
    "two kinds": (
        "town:\n  site: https://town.example/\n  folder: here\n",
        "sources.yaml: town: the keys site and folder stand in one block: keep exactly one of site",
    ),
    "no kind": (
        "town:\n  rps: 2\n",
        "sources.yaml: town: no key says what it is: keep exactly one of site, channel, query",
    ),
    "upper case in an id": (
        "Town:\n  site: https://town.example/\n",
        "sources.yaml: the id 'Town' is not right: give an id of 1 to 64 characters",
    ),
    "the folder of the logs as an id": (
        "logs:\n  site: https://town.example/\n",
        "sources.yaml: the id 'logs' is not right: give an id of 1 to 64 characters",
    ),
    "a path as an id": (
        "../town:\n  site: https://town.example/\n",
        "sources.yaml: the id '../town' is not right: give an id of 1 to 64 characters",
    ),
    "a long id": (
        f"{'a' * 65}:\n  site: https://town.example/\n",
        f"sources.yaml: the id '{'a' * 65}' is not right: give an id of 1 to 64 characters",
    ),
    "no address": (
        "town:\n  site: town.example\n",
        "sources.yaml: town.site: 'town.example' is not right: give an address that starts with",
    ),
    "a rate of nothing": (
        "town:\n  site: https://town.example/\n  rps: 0\n",
        "sources.yaml: town.rps: 0 is not right: give a number of requests a second above 0",
    ),
    "a rate in words": (
        "town:\n  site: https://town.example/\n  rps: fast\n",
        "sources.yaml: town.rps: 'fast' is not right: give a number of requests a second above 0",
    ),
    "a duration without a unit": (
        "town:\n  site: https://town.example/\n  revisit: 30\n",
        "sources.yaml: town.revisit: 30 is not right: give a duration such as 90s",
    ),
    "a nested duration": (
        "town:\n  site: https://town.example/\n  retry: {error: soon}\n",
        "sources.yaml: town.retry.error: 'soon' is not right: give a duration such as 90s",
    ),
    "an unknown failure": (
        "town:\n  site: https://town.example/\n  retry: {live: 1d}\n",
        "sources.yaml: town.retry: unknown key 'live': ",
    ),
    "a limit of nothing": (
        "town:\n  site: https://town.example/\n  limit: 0\n",
        "sources.yaml: town.limit: 0 is not right: give a whole number above 0",
    ),
    "a size without a number": (
        "town:\n  site: https://town.example/\n  max_bytes: much\n",
        "sources.yaml: town.max_bytes: 'much' is not right: give a number of bytes, or a size",
    ),
    "a size of nothing": (
        "town:\n  site: https://town.example/\n  max_bytes: 0 MiB\n",
        "sources.yaml: town.max_bytes: '0 MiB' is not right: give a number of bytes, or a size",
    ),
    "a port that is none": (
        "town:\n  site: https://town.example:port/\n",
        "sources.yaml: town.site: 'https://town.example:port/' is not right: give an address",
    ),
    "text instead of a list": (
        "town:\n  site: https://town.example/\n  match: /council/\n",
        "sources.yaml: town.match: '/council/' is not right: give a list of regular expressions",
    ),
    "no expression": (
        "town:\n  site: https://town.example/\n  match: ['(']\n",
        "sources.yaml: town.match: '(' is no regular expression (missing ), unterminated",
    ),
    "a language that YAML reads as false": (
        "town:\n  site: https://town.example/\n  lang: no\n",
        "sources.yaml: town.lang: False is not right: give a language code such as en",
    ),
    "nothing in a block": (
        "town:\n",
        "sources.yaml: town: None is not right: give a block with one key that names the place",
    ),
    "an address instead of a block": (
        "town: https://town.example/\n",
        "sources.yaml: town: 'https://town.example/' is not right: give a block with one key",
    ),
    "a list": ("- town\n", "sources.yaml: not a mapping: write keys with values"),
    "a doubled id": (
        TOWN + TOWN,
        "sources.yaml: line 3: the key 'town' stands twice: mend the YAML",
    ),
    "a doubled key": (
        TOWN + "  rps: 1\n  rps: 2\n",
        "sources.yaml: line 4: the key 'rps' stands twice: mend the YAML",
    ),
    "a doubled number as an id": (
        "2024:\n  site: https://a.example/\n2024:\n  site: https://b.example/\n",
        "sources.yaml: line 3: the key '2024' stands twice: mend the YAML",
    ),
    "a list as a key": ("? [a, b]\n: 1\n", "sources.yaml: line 1: found unhashable key: mend"),
    "broken YAML": ("town: [\n", "sources.yaml: line "),
    "a tag": ("town: !!python/object:os.system {}\n", "sources.yaml: line 1: could not determine"),
    "a control character": ("town: \x07\n", "sources.yaml: "),
}
"""A sources file, by what is wrong with it."""

FAULTY_CONFIG: dict[str, tuple[Json, str]] = {
    "an unknown key": (
        {"soruces": "x"},
        "config/config.yaml: unknown key 'soruces': did you mean 'sources'?",
    ),
    "no truth value": (
        {"strict": "perhaps"},
        "config/config.yaml: strict: 'perhaps' is not right: give true or false",
    ),
    "two lines of contact": (
        {"contact": "a\r\nX-Evil: 1"},
        "config/config.yaml: contact: 'a\\r\\nX-Evil: 1' is not right: give one line",
    ),
    "a default": (
        {"defaults": {"rps": "-1"}},
        "config/config.yaml: defaults.rps: -1 is not right: give a number of requests",
    ),
    "a kind of source among the defaults": (
        {"defaults": {"site": "https://town.example/"}},
        "config/config.yaml: defaults: unknown key 'site': ",
    ),
    "an unknown kind": (
        {"pipeline": {"pfd": {"version": 2}}},
        "config/pipeline.yaml: unknown key 'pfd': did you mean 'pdf'?",
    ),
    "no version": (
        {"pipeline": {"pdf": {"version": "two"}}},
        "config/pipeline.yaml: pdf.version: 'two' is not right: give a whole number above 0",
    ),
    "a reader twice": (
        {"pipeline": {"pdf": {"readers": ["pdftotext", "pdftotext"]}}},
        "config/pipeline.yaml: pdf.readers: ['pdftotext', 'pdftotext'] is not right: give a list",
    ),
    "a language that is an option of the program": (
        {"pipeline": {"ocr": {"languages": ["--tessdata-dir"]}}},
        "config/pipeline.yaml: ocr.languages.0: '--tessdata-dir' is not right: give a code that",
    ),
    "no language": (
        {"pipeline": {"ocr": {"languages": []}}},
        "config/pipeline.yaml: ocr.languages: [] is not right: give a list of codes",
    ),
}
"""Settings of a run, by what is wrong with them."""
