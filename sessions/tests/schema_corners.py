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
            # Members that may be null only beside another one, which is left out.
            never_null = {key for rule in node.get("allOf", []) for key in rule.get("else", {}).get("properties", {})}
            forms = {key: self.not_null(form) if key in never_null else form for key, form in declared.items()}
            return {key: self.least(element, forms[key]) for key, element in value.items() if key in required}
        return copy.deepcopy(value)

    @staticmethod
    def not_null(node):
        return next(branch for branch in node["oneOf"] if branch != {"type": "null"})

    def impossible(self, document):
        """Documents with one number outside of what is allowed there, each with the place of the number."""
        yield from self.numbers_beyond(self.schema, document, "")

    def numbers_beyond(self, node, value, place):
        node = self.resolved(node)
        for branch in node.get("oneOf", []):
            yield from self.numbers_beyond(branch, value, place)
        if isinstance(value, dict):
            declared = node.get("properties", {})
            for key, element in value.items():
                of_key = declared.get(key) or node.get("additionalProperties")
                for pointer, beyond in self.numbers_beyond(of_key, element, f"{place}/{key}") if of_key else []:
                    yield pointer, value | {key: beyond}
        elif isinstance(value, list) and "items" in node:
            for pointer, beyond in self.numbers_beyond(node["items"], value[0], f"{place}/0") if value else []:
                yield pointer, [beyond] + value[1:]
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            yield from ((place, beyond) for beyond in self.beyond(node))

    def beyond(self, node):
        low, high = node.get("minimum"), node.get("maximum")
        if "exclusiveMinimum" in node:
            yield from (node["exclusiveMinimum"], node["exclusiveMinimum"] - 1)
        if low is not None and low > -FAR:  # Beside the least of 64 bits there is no other number of JSON's.
            yield low - 1
        if high is not None:
            yield high + 1 if isinstance(high, int) and high > FAR else 2 * high

    def with_unknown_members(self, value, node=None):
        """The document with a member that nobody knows in each object that has declared ones."""
        node = self.resolved(node or self.schema)
        branches = [self.resolved(branch) for branch in node.get("oneOf", [])]
        node = next((branch for branch in branches if branch.get("type") == "object"), node)
        if isinstance(value, list):
            return [self.with_unknown_members(item, node["items"]) for item in value] if "items" in node else value
        if not isinstance(value, dict):
            return value
        declared = node.get("properties", {})
        known = {}
        for key, element in value.items():
            of_key = declared.get(key) or node.get("additionalProperties")
            known[key] = self.with_unknown_members(element, of_key) if of_key else element
        return known | {"a_later": [1, {"deep": None}], "x/~": 2.5} if declared else known
