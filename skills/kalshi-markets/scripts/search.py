#!/usr/bin/env -S uv run --quiet --script
# /// script
# requires-python = ">=3.9"
# dependencies = ["click>=8.1,<9", "httpx>=0.27,<1"]
# ///
"""Find open Kalshi events by keyword."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import click
import httpx

# --- The same in every script of this skill: asking the exchange, answering, failing. ---

DEFAULT_BASE_URL = "https://api.elections.kalshi.com/trade-api/v2"
DEFAULT_TIMEOUT = 30.0  # Seconds for a whole answer; agents give a script about a minute.
MAX_BYTES = 16 * 1024 * 1024  # The longest list the exchange gives is a third of this.
TICKER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")


class Failure(Exception):
    """Why there is no answer: a kind for programs, a sentence and a hint for people."""

    def __init__(self, kind: str, message: str, hint: str = "", **details: object) -> None:
        super().__init__(message)
        self.kind = kind
        self.hint = hint
        self.details = details


def base_url() -> str:
    url = (os.environ.get("KALSHI_BASE_URL") or DEFAULT_BASE_URL).rstrip("/")
    if not url.startswith(("https://", "http://")):
        raise Failure("usage", f"KALSHI_BASE_URL is not an http address: {clean(url, 80)}")
    return url


def timeout() -> float:
    text = os.environ.get("KALSHI_TIMEOUT") or str(DEFAULT_TIMEOUT)
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= 600:
        raise Failure("usage", f"KALSHI_TIMEOUT is not a number of seconds: {clean(text, 40)}")
    return seconds


def ask(path: str, **parameters: object) -> dict:
    """What the exchange answers to GET `path`. Parameters that are None are left out."""
    url, given = base_url() + path, {k: v for k, v in parameters.items() if v is not None}
    seconds = timeout()
    deadline = time.monotonic() + seconds
    try:
        with httpx.stream("GET", url, params=given, timeout=seconds) as response:
            body = bytearray()
            for chunk in response.iter_bytes():
                body += chunk
                if len(body) > MAX_BYTES:
                    message = f"The answer is larger than {MAX_BYTES // 1024 // 1024} MiB"
                    raise Failure("too_large", message, "ask for less: a filter or a lower --limit")
                if time.monotonic() > deadline:
                    raise httpx.ReadTimeout("the answer took too long")
    except httpx.TimeoutException:
        message = f"No complete answer within {seconds:g} s"
        raise Failure("timeout", message, "try again, or set KALSHI_TIMEOUT") from None
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        reason = clean(str(error), 200) or type(error).__name__
        message = f"Cannot reach {clean(base_url(), 80)}: {reason}"
        raise Failure("network", message, "check the network and KALSHI_BASE_URL") from None
    if response.status_code != 200:
        raise refusal(response, path, bytes(body))
    return parse(bytes(body))


def refusal(response: httpx.Response, path: str, body: bytes) -> Failure:
    """The failure an HTTP status other than 200 stands for."""
    code = response.status_code
    if code == 404:
        hint = "check the ticker; search.py finds tickers by keyword"
        return Failure("not_found", f"The exchange has nothing at {path}", hint, status=code)
    if code == 429:
        after = response.headers.get("retry-after", "")
        seconds = int(after) if after.isdecimal() and len(after) < 6 else 5
        hint = f"wait {seconds} s and try again"
        return Failure("rate_limited", "Too many requests", hint, status=code, retry_after=seconds)
    if code >= 500:
        message = f"The exchange has a problem of its own (HTTP {code})"
        return Failure("server_error", message, "try again later", status=code)
    try:
        said = parse(body).get("error", "")
        said = said.get("message", "") if isinstance(said, dict) else said
    except Failure:
        said = ""
    reason = clean(said, 200) or response.reason_phrase
    return Failure("refused", f"The exchange refused (HTTP {code}): {reason}", status=code)


def parse(body: bytes) -> dict:
    def no_number(text: str) -> object:
        raise ValueError(text)

    try:
        answer = json.loads(body, parse_constant=no_number)
    except (ValueError, RecursionError):
        message = "The answer is not JSON"
        raise Failure("not_json", message, "check KALSHI_BASE_URL") from None
    if not isinstance(answer, dict):
        raise Failure("unexpected", "The answer is JSON, but not an object")
    return answer


def part(answer: dict, name: str, kind: type) -> object:
    """One part of an answer, which must be there and of this kind."""
    value = answer.get(name)
    if value is None and kind is list:
        return []
    if not isinstance(value, kind):
        raise Failure("unexpected", f"The answer has no usable `{name}`")
    return [item for item in value if isinstance(item, dict)] if kind is list else value


def ticker(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """Keeps anything but a ticker out of a request."""
    if value is not None and not TICKER.fullmatch(value):
        raise click.BadParameter(f"{clean(value, 40)!r} is not a ticker")
    return value


def clean(value: object, width: int = 0) -> str:
    """A value on one line, nothing in it that a terminal would act on, cut to the width."""
    if value is None:
        return ""
    text = "".join(c if c.isprintable() else " " for c in str(value))
    text = " ".join(text.split())
    return text[: width - 1] + "…" if width and len(text) > width else text


def show(answer: dict, as_json: bool, lines: Callable[[dict], Iterable[str]]) -> None:
    if as_json:
        print(json.dumps(answer, ensure_ascii=False, separators=(",", ":")))
        return
    for line in lines(answer):
        print(line.rstrip())


def main(command: click.Command) -> None:
    """Runs the command; whatever goes wrong is one JSON object, or one line and its hint."""
    sys.stdout.reconfigure(encoding="utf-8", errors="replace")
    sys.stderr.reconfigure(encoding="utf-8", errors="replace")
    try:
        command.main(standalone_mode=False)
        sys.stdout.flush()
        return
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # The reader left; nobody is told.
        sys.exit(1)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)
    except click.ClickException as error:
        failure = Failure("usage", clean(error.format_message()), "see --help")
    except Failure as error:
        failure = error
    if "--json" in sys.argv[1:]:
        report = {"error": str(failure), "kind": failure.kind, **failure.details}
        print(json.dumps({**report, "hint": failure.hint} if failure.hint else report))
    else:
        hint = f" ({failure.hint})" if failure.hint else ""
        print(f"error: {failure}{hint}", file=sys.stderr)
    sys.exit(1)


# --- End of what is the same. ---


PAGE = 200  # The most events the exchange gives at once.
MAX_PAGES = 60  # 12,000 events, several times what is open on a busy day.
SCAN_SECONDS = 20.0  # Half of what an agent waits for; what was seen by then is searched.
FRESH_SECONDS = 900
FIELDS = ("event_ticker", "series_ticker", "title", "sub_title", "category")


@click.command()
@click.argument("keyword", required=False)
@click.option(
    "--limit",
    type=click.IntRange(1, 100),
    default=10,
    show_default=True,
    help="At most so many hits.",
)
@click.option(
    "--rebuild-cache",
    is_flag=True,
    help="Ask the exchange again instead of using what was seen before.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
def search(keyword: str | None, limit: int, rebuild_cache: bool, as_json: bool) -> None:
    """Find open events by words of their title, category or ticker.

    All words must occur. `complete` is false when not all open events could be looked at in time.
    What was seen is kept for 15 minutes in KALSHI_CACHE_DIR, else in the temporary directory.

    \b
    Examples:
      search.py bitcoin
      search.py "fed rate" --limit 5 --json
      search.py --rebuild-cache
    """
    words = re.findall(r"\w+", (keyword or "").casefold())
    if not words and not (rebuild_cache and keyword is None):
        raise click.UsageError("give a word to search for")
    seen = look(rebuild_cache)
    hits = rank(seen["events"], words) if words else []
    answer = {
        "query": keyword or "",
        "events": hits[:limit],
        "total": len(hits),
        "searched": len(seen["events"]),
        "complete": seen["complete"],
    }
    if seen.get("note"):
        answer["note"] = seen["note"]
    show(answer, as_json, lines)


def lines(answer: dict) -> Iterable[str]:
    for event in answer["events"]:
        title = ", ".join(filter(None, (clean(event["title"], 70), clean(event["sub_title"], 40))))
        yield f"{clean(event['event_ticker']):<28} {clean(event['category'], 20):<20}  {title}"
    extent = "all" if answer["complete"] else "the first"
    yield f"{answer['total']} found in {extent} {answer['searched']} open events"
    if answer.get("note"):
        yield f"note: {clean(answer['note'])}"
    if answer["events"]:
        yield f"next: markets.py --event-ticker {clean(answer['events'][0]['event_ticker'])}"


def rank(events: list[dict], words: list[str]) -> list[dict]:
    """The events in which every word occurs, best first; equals by ticker."""
    scored = []
    for event in events:
        scores = [score(event, word) for word in words]
        if all(scores):
            scored.append((-sum(scores), event["event_ticker"], event))
    return [{**event, "score": -total} for total, _, event in sorted(scored, key=lambda s: s[:2])]


def score(event: dict, word: str) -> int:
    """How well a word fits: as a word, as the beginning of one, anywhere; the title counts most."""
    best = 0
    for field, weight in (
        ("title", 4),
        ("sub_title", 3),
        ("series_ticker", 3),
        ("event_ticker", 3),
        ("category", 1),
    ):
        text = event[field].casefold()
        if word not in text:
            continue
        found = re.findall(r"\w+", text)
        fit = 3 if word in found else 2 if any(w.startswith(word) for w in found) else 1
        best = max(best, fit * weight)
    return best


def look(afresh: bool) -> dict:
    """The open events: as seen in the last minutes, else asked for and kept."""
    file = cache_file()
    kept = None if afresh else read_cache(file)
    if kept and time.time() - kept["at"] < FRESH_SECONDS:
        return kept
    try:
        seen = scan()
    except Failure as failure:
        if not kept:
            raise
        return {
            **kept,
            "note": f"seen {int((time.time() - kept['at']) / 60)} minutes ago: {failure}",
        }
    if seen["complete"]:
        write_cache(file, seen)
    return seen


def scan() -> dict:
    """Every open event, page by page, until there are no more or the time is up."""
    events, cursor, complete, note = [], None, False, ""
    started = time.monotonic()
    for _ in range(MAX_PAGES):
        try:
            answer = ask("/events", limit=PAGE, status="open", cursor=cursor)
        except Failure as failure:
            if not events:
                raise
            note = str(failure)
            break
        for event in part(answer, "events", list):
            events.append({field: clean(event.get(field)) for field in FIELDS})
        following = answer.get("cursor")
        complete = not following
        if complete or following == cursor or time.monotonic() - started > SCAN_SECONDS:
            break
        cursor = following
    return {"at": time.time(), "events": events, "complete": complete, "note": note}


def cache_file() -> Path | None:
    """Where events are kept; none when the place cannot be made or belongs to somebody else."""
    given = os.environ.get("KALSHI_CACHE_DIR")
    owner = os.getuid() if hasattr(os, "getuid") else 0
    place = Path(given) if given else Path(tempfile.gettempdir()) / f"kalshi-markets-{owner}"
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        mine = place.lstat().st_uid == owner and not place.is_symlink()
    except OSError:
        return None
    name = hashlib.sha256(base_url().encode()).hexdigest()[:16]
    return place / f"events-{name}.json" if given or mine else None


def read_cache(file: Path | None) -> dict | None:
    try:
        kept = json.loads(file.read_bytes()) if file and file.stat().st_size < MAX_BYTES else None
        events = kept["events"]
        usable = all(isinstance(event[field], str) for event in events for field in FIELDS)
        return kept if usable and float(kept["at"]) <= time.time() else None
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def write_cache(file: Path | None, seen: dict) -> None:
    """Keeps what was seen. That it cannot be kept is no reason not to answer."""
    if not file:
        return
    try:
        with tempfile.NamedTemporaryFile(
            "w", dir=file.parent, delete=False, encoding="utf-8"
        ) as new:
            json.dump(seen, new)
        os.replace(new.name, file)
    except (OSError, UnicodeError):
        pass


if __name__ == "__main__":
    main(search)
