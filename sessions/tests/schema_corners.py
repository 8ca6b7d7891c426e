"""Documents that a JSON schema allows, made from one that it allows: each differs from it at one place."""

import copy

FAR = 10**6


class Corners:
    def __init__(self, schema):
        self.schema = schema

    def resolved(self, node):
        while "$ref" in node:
            name = node["$ref"].rsplit("/", 1)[1]
            node = self.schema["$defs"][name] | {key: value for key, value in node.items() if key != "$ref"}
        return node

    def documents(self, document):
        """Documents with one value at a corner of what is allowed there, or left out where it is not required."""
        yield from self.values(self.schema, document)

    def values(self, node, value):
        node = self.resolved(node)
        if "const" in node:
            return
        if "enum" in node:
            yield from (choice for choice in node["enum"] if choice != value)
            return
        for branch in node.get("oneOf", []):
            yield from self.values(branch, value)
        types = node.get("type", [])
        types = [types] if isinstance(types, str) else types
        if "null" in types and value is not None:
            yield None
        if "boolean" in types:
            yield not value
        if "string" in types and not {"minLength", "pattern"} & node.keys():
            yield ""
        if "integer" in types:
            yield from self.integers(node)
        if "number" in types:
            yield from self.numbers(node)
        if "array" in types and isinstance(value, list):
            yield from self.lists(node, value)
        if "object" in types and isinstance(value, dict):
            yield from self.objects(node, value)

    def integers(self, node):
        low, high = node.get("minimum", -FAR), node.get("maximum", FAR)
        yield low
        yield high
        yield float(max(low, 1))  # A whole number may be written with a point.

    def numbers(self, node):
        if "exclusiveMinimum" not in node:
            yield node.get("minimum", -FAR)
        yield node.get("maximum", 1e300)
        yield 1

    def lists(self, node, value):
        if "minItems" not in node:
            yield []
        if value and "items" in node:
            for item in self.values(node["items"], value[0]):
                yield [item] + value[1:]

    def objects(self, node, value):
        declared = node.get("properties", {})
        for key, element in value.items():
            if key not in node.get("required", []):
                yield {other: kept for other, kept in value.items() if other != key}
            of_key = declared.get(key) or node.get("additionalProperties")
            if of_key:
                yield from (value | {key: corner} for corner in self.values(of_key, element))

    def least(self, value, node=None):
        """The value without all that may be left out, and null where null is allowed."""
        node = self.resolved(node or self.schema)
        types = node.get("type", [])
        if "null" in types or {"type": "null"} in node.get("oneOf", []):
            return None
        if isinstance(value, list):
            return [self.least(item, node["items"]) for item in value] if "items" in node else value
        if isinstance(value, dict):
            declared = node.get("properties", {})
            required = node.get("required", [])
            return {key: self.least(element, declared[key]) for key, element in value.items() if key in required}
        return copy.deepcopy(value)
