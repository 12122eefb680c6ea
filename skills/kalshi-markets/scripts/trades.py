#!/usr/bin/env -S uv run --quiet --script
# /// script
# requires-python = ">=3.9"
# dependencies = ["click>=8.1,<9", "httpx>=0.27,<1"]
# ///
"""Recent trades on Kalshi, newest first."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterable

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


def price(record: dict, name: str) -> str:
    """A price in cents: from `NAME_dollars` ("0.5600"), or from `NAME` (56) in older answers."""
    dollars, cents = record.get(f"{name}_dollars"), record.get(name)
    try:
        value = float(dollars) * 100 if dollars is not None else float(cents)
    except (TypeError, ValueError):
        return "-"
    return f"{value:.4g}¢"


def amount(record: dict, name: str) -> str:
    """A number of contracts: from `NAME_fp` ("12.00"), or from `NAME` in older answers."""
    value = record.get(f"{name}_fp", record.get(name))
    try:
        return f"{float(value):,.0f}"
    except (TypeError, ValueError):
        return "-"


def when(value: object) -> str:
    """A time as the exchange writes it, to the minute."""
    text = clean(value)
    return f"{text[:10]} {text[11:16]} UTC" if len(text) >= 16 and text[10] == "T" else text or "-"


@click.command()
@click.option(
    "--limit", type=click.IntRange(1, 1000), default=10, show_default=True, help="Trades a page."
)
@click.option("--ticker", callback=ticker, help="Only trades of this market.")
@click.option("--min-ts", type=click.IntRange(min=0), help="Not before this time, in Unix seconds.")
@click.option("--max-ts", type=click.IntRange(min=0), help="Not after this time, in Unix seconds.")
@click.option("--cursor", help="Where the next page starts; from the page before.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
def trades(as_json: bool, **filters: object) -> None:
    """List trades, newest first.

    \b
    Example: trades.py --ticker KXFED-26DEC-T4.00 --limit 50 --json
    """
    earliest, latest = filters["min_ts"], filters["max_ts"]
    if earliest is not None and latest is not None and earliest > latest:
        raise click.UsageError("--min-ts is later than --max-ts")
    answer = ask("/markets/trades", **filters)
    part(answer, "trades", list)
    show(answer, as_json, lines)


def lines(answer: dict) -> Iterable[str]:
    found = part(answer, "trades", list)
    if not found:
        yield "no trades"
        return
    yield f"{'TIME':<20} {'TICKER':<32} {'YES':>7} {'NO':>7} {'CONTRACTS':>10}  TAKER"
    for trade in found:
        yes, no = price(trade, "yes_price"), price(trade, "no_price")
        name, side = clean(trade.get("ticker")), clean(trade.get("taker_side"))
        time_of = when(trade.get("created_time"))
        yield f"{time_of:<20} {name:<32} {yes:>7} {no:>7} {amount(trade, 'count'):>10}  {side}"
    if answer.get("cursor"):
        yield f"more: --cursor {clean(answer['cursor'])}"


if __name__ == "__main__":
    main(trades)
