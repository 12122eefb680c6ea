"""Greetings as tools: a Python toolset, for what an agent does often and wants typed.

A host loads the class named in the manifest (`toolsets.hello:HelloExtended`), gives it its
configuration and offers what `get_tools` returns. Each tool is an asynchronous method whose name,
annotations and docstring are what a model sees, and whose answer is an object with `success`,
`result` and `message`, or `error` instead of a result.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

try:
    from agent.tools.toolset import AgentToolset
except ImportError:

    class AgentToolset:  # type: ignore[no-redef]
        """What a toolset is to a host that brings no class of its own, and to plain tests."""

        def __init__(self, config: Any = None) -> None:
            self.config = config


Response = dict[str, Any]

GREETINGS = {
    "english": "Hello, {name}!",
    "french": "Bonjour, {name} !",
    "german": "Hallo, {name}!",
    "japanese": "こんにちは、{name}さん！",
    "spanish": "¡Hola, {name}!",
}
MAX_NAMES = 50  # More is a mailing, not a greeting.
MAX_NAME_CHARS = 100


class HelloExtended(AgentToolset):
    """Greets people in several languages."""

    def get_tools(self) -> list[Callable[..., Awaitable[Response]]]:
        return [self.hello_greet_in_language, self.hello_greet_many, self.hello_languages]

    async def hello_greet_in_language(
        self,
        name: Annotated[str, "Whom to greet"],
        language: Annotated[str, "One of hello_languages"] = "english",
    ) -> Response:
        """Greet one person in one language."""
        return self._greet([name], language)

    async def hello_greet_many(
        self,
        names: Annotated[list[str], "Whom to greet, at most 50"],
        language: Annotated[str, "One of hello_languages"] = "english",
    ) -> Response:
        """Greet several people in one language, one line each."""
        return self._greet(names, language)

    async def hello_languages(self) -> Response:
        """List the languages there are greetings in."""
        languages = sorted(GREETINGS)
        return {"success": True, "result": languages, "message": f"{len(languages)} languages"}

    def _greet(self, names: list[str], language: str) -> Response:
        greeting = GREETINGS.get(language.strip().lower())
        if greeting is None:
            return _error("unknown_language", f"No greeting in {language!r}; see hello_languages")
        people = [" ".join(name.split()) for name in names]
        if not people or not all(people):
            return _error("invalid_name", "Nobody to greet")
        if len(people) > MAX_NAMES or any(len(name) > MAX_NAME_CHARS for name in people):
            return _error("too_many", f"At most {MAX_NAMES} names of {MAX_NAME_CHARS} characters")
        lines = [greeting.replace("{name}", name) for name in people]
        message = f"Greeted {len(people)} in {language.strip().lower()}"
        return {"success": True, "result": "\n".join(lines), "message": message}


def _error(code: str, message: str) -> Response:
    return {"success": False, "error": code, "message": message}
