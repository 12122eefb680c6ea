#!/usr/bin/env python3
# /// script
# requires-python = ">=3.9"
# dependencies = []
# ///
"""Print a greeting in one of several languages and styles.

Example: advanced_greeting.py --name Ada --language spanish --style formal --json
"""

import argparse
import json
import sys

GREETINGS = {
    "english": ("Hello, {name}", "Good day, {name}", "Hi there, {name}!"),
    "spanish": ("Hola, {name}", "Buenos días, {name}", "¡Hola, {name}!"),
    "french": ("Salut, {name}", "Bonjour, {name}", "Coucou, {name} !"),
    "german": ("Hallo, {name}", "Guten Tag, {name}", "Hallöchen, {name}!"),
    "japanese": ("こんにちは、{name}さん", "{name}様、ごきげんよう", "やあ、{name}さん！"),
}
STYLES = ("plain", "formal", "cheerful")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--name", default="world", help="whom to greet")
    parser.add_argument("--language", default="english", choices=sorted(GREETINGS))
    parser.add_argument("--style", default="plain", choices=STYLES)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    greeting = GREETINGS[options.language][STYLES.index(options.style)].format(name=options.name)
    if options.json:
        result = {"greeting": greeting, "language": options.language, "style": options.style}
        json.dump(result, sys.stdout, ensure_ascii=False)
        print()
    else:
        print(greeting)
    return 0


if __name__ == "__main__":
    sys.exit(main())
