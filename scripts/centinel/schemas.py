"""The JSON schemas of `config/schemas/`: what a value must be, and what is said where it is not."""

import difflib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from centinel.masking import masked
from centinel.record import Json

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator

PROJECT = Path(__file__).resolve().parents[2]
"""The folder that holds `config/`: the project's own, since the library is used in place."""

FOLDER = PROJECT / "config" / "schemas"


class ConfigurationError(Exception):
    """The configuration is wrong; the message is one line: file, key, what, and the fix."""


@cache
def schema(name: str) -> Json:
    """Returns a schema of `config/schemas/`."""
    text = (FOLDER / f"{name}.schema.yaml").read_text("utf-8")
    value: Json = yaml.load(text, Loader=yaml.CSafeLoader)
    return value


@cache
def validator(name: str) -> "Draft202012Validator":
    """Returns the validator of a schema; references to other files of the folder are followed."""
    # Imported here: a job, whose run has checked everything, need not pay for it.
    from jsonschema import Draft202012Validator
    from referencing import Registry, Resource

    registry: Registry[Any] = Registry().with_resources(
        (path.name, Resource.from_contents(schema(path.name.removesuffix(".schema.yaml"))))
        for path in FOLDER.glob("*.schema.yaml")
    )
    return Draft202012Validator(schema(name), registry=registry)


def check(value: Any, name: str, file: str) -> None:
    """Raises ConfigurationError with the first fault of a value, in the order of its keys."""
    faults = sorted(validator(name).iter_errors(value), key=lambda each: list(map(str, each.path)))
    if faults:
        raise ConfigurationError(f"{file}: {masked(one_line(_said(faults[0])))}")


def _said(fault: Any) -> str:
    """The fault as key, what is wrong, and the fix."""
    place = ".".join(str(each) for each in fault.absolute_path)
    where = f"{place}: " if place else ""
    rule = fault.schema if isinstance(fault.schema, dict) else {}
    if fault.validator == "additionalProperties" and isinstance(fault.instance, dict):
        return where + _unknown_key(fault.instance, sorted(rule.get("properties", {})))
    if fault.validator == "required":
        missing = next(key for key in rule["required"] if key not in dict(fault.instance))
        return f"{where}the key {missing!r} is missing: add it"
    if "x-fix" in rule:
        what = "the id " if "propertyNames" in fault.absolute_schema_path else ""
        return f"{where}{what}{fault.instance!r} is not right: give {rule['x-fix']}"
    return f"{where}{fault.message}: see the schemas in config/schemas/"


def _unknown_key(block: Json, known: list[str]) -> str:
    unknown = str(next(key for key in block if key not in known))
    near = difflib.get_close_matches(unknown, known, 1)
    fix = f"did you mean {near[0]!r}?" if near else "take it out"
    return f"unknown key {unknown!r}: {fix} (known: {', '.join(known)})"


def one_line(text: str) -> str:
    """Returns the text with all white space folded."""
    return " ".join(text.split())


def coerced(value: Any, name: str) -> Any:
    """Returns a value with text turned into what a schema asks for, where it can be.

    Snakemake hands nested values of the command line over as text.
    """
    return _coerced(value, schema(name), name)


def _coerced(value: Any, rule: Json, name: str) -> Any:
    while "$ref" in rule:
        name, rule = _referenced(rule["$ref"], name)
    if isinstance(value, dict):
        properties = rule.get("properties", {})
        return {key: _coerced(each, properties.get(key, {}), name) for key, each in value.items()}
    if isinstance(value, list):
        return [_coerced(each, rule.get("items", {}), name) for each in value]
    wanted = rule.get("type")
    forms = [each.get("type") for each in (rule, *rule.get("anyOf", ()))]
    if isinstance(value, str) and any(form in ("integer", "number", "boolean") for form in forms):
        return _scalar(value)
    if wanted == "string" and isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return value


def _scalar(text: str) -> Any:
    """What YAML would have made of the text, where that is a number or a truth value."""
    try:
        parsed = yaml.load(text, Loader=yaml.CSafeLoader)
    except yaml.YAMLError:
        return text
    return parsed if isinstance(parsed, bool | int | float) else text


def _referenced(reference: str, name: str) -> tuple[str, Json]:
    """Follows a reference; returns the schema that it leads into, and the rule there."""
    file, _, pointer = reference.partition("#/")
    name = file.removesuffix(".schema.yaml") or name
    target = schema(name)
    for step in pointer.split("/"):
        target = target[step]
    return name, target
