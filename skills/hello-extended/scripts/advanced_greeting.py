#!/usr/bin/env -S uv run --quiet --script
# /// script
# requires-python = ">=3.9"
# dependencies = []
# ///
"""Print a greeting in one of several languages and styles, for a time of day.

Example: advanced_greeting.py --name Ada --language spanish --style formal --hour 20 --json
"""

import argparse
import json
import sys

# plain, cheerful, then formal in the morning, by day and in the evening
GREETINGS = {
    "english": (
        "Hello, {}",
        "Hi there, {}!",
        "Good morning, {}",
        "Good day, {}",
        "Good evening, {}",
    ),
    "french": ("Salut, {}", "Coucou, {} !", "Bonjour, {}", "Bonjour, {}", "Bonsoir, {}"),
    "german": (
        "Hallo, {}",
        "Hallöchen, {}!",
        "Guten Morgen, {}",
        "Guten Tag, {}",
        "Guten Abend, {}",
    ),
    "japanese": (
        "こんにちは、{}さん",
        "やあ、{}さん！",
        "{}様、おはようございます",
        "{}様、ごきげんよう",
        "{}様、こんばんは",
    ),
    "spanish": (
        "Hola, {}",
        "¡Hola, {}!",
        "Buenos días, {}",
        "Buenas tardes, {}",
        "Buenas noches, {}",
    ),
}
STYLES = ("plain", "cheerful", "formal")
MAX_NAME_CHARS = 100


class Arguments(argparse.ArgumentParser):
    """Says what is wrong with the arguments in the form that was asked for."""

    def error(self, message):
        if "--json" in sys.argv[1:]:
            print(json.dumps({"error": message, "kind": "usage"}))
        else:
            print(f"error: {message} (see --help)", file=sys.stderr)
        sys.exit(1)


def greet(name: str, language: str, style: str, hour: int) -> str:
    plain, cheerful, morning, day, evening = GREETINGS[language]
    formal = morning if 4 <= hour < 12 else day if 12 <= hour < 18 else evening
    text = {"plain": plain, "cheerful": cheerful, "formal": formal}[style]
    return text.replace("{}", name)


def arguments() -> argparse.Namespace:
    parser = Arguments(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--name", default="world", help="whom to greet")
    parser.add_argument("--language", default="english", choices=sorted(GREETINGS))
    parser.add_argument("--style", default="plain", choices=STYLES)
    parser.add_argument(
        "--hour",
        default=12,
        type=int,
        choices=range(24),
        metavar="0-23",
        help="hour of the day, for the formal style (default: 12)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    options.name = " ".join(options.name.split())
    if not 0 < len(options.name) <= MAX_NAME_CHARS:
        parser.error(f"a name has 1 to {MAX_NAME_CHARS} characters")
    return options


def main() -> None:
    sys.stdout.reconfigure(encoding="utf-8", errors="replace")
    options = arguments()
    greeting = greet(options.name, options.language, options.style, options.hour)
    if options.json:
        result = {"greeting": greeting, "language": options.language, "style": options.style}
        print(json.dumps(result, ensure_ascii=False))
    else:
        print(greeting)


if __name__ == "__main__":
    main()
