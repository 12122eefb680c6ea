"""The official Python SDK's client against metier, over stdio or HTTP.

Usage: python_sdk.py http URL
       python_sdk.py stdio COMMAND [ARGUMENT...]

The server serves the skills that `cargo xtask mcp` writes. Exits 1 with a sentence when an answer is
not as promised.
"""

import asyncio
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client


async def check(read, write):
    async with ClientSession(read, write) as session:
        hello = await session.initialize()
        assert hello.server_info.name == "metier", hello
        assert "skill_activate" in hello.instructions, hello.instructions
        assert len(hello.instructions) <= 2048
        tools = (await session.list_tools()).tools
        assert all(tool.output_schema for tool in tools), tools
        assert len(tools) == 15, [tool.name for tool in tools]
        # The client checks every structured result against the tool's output schema.
        found = await session.call_tool("skill_search", {"query": "forms"})
        assert found.structured_content["hits"][0]["name"] == "a-forms", found
        active = await session.call_tool("skill_activate", {"name": "a-forms"})
        assert active.content[0].text.startswith("<skill_content"), active
        denied = await session.call_tool("tool_guard", {"tool": "Write", "arguments": {}})
        assert denied.structured_content["verdict"] == "deny", denied
        failed = await session.call_tool("skill_activate", {"name": "nope"})
        assert failed.is_error and "skill_not_found" in failed.content[0].text, failed
        prompts = (await session.list_prompts()).prompts
        assert "test-prompt-with-arguments" in [prompt.name for prompt in prompts], prompts
        prompt = await session.get_prompt("test_simple_prompt", {})
        assert prompt.messages[0].role == "user", prompt
        resources = (await session.list_resources()).resources
        read_back = await session.read_resource(resources[0].uri)
        assert read_back.contents[0].text.startswith("---"), read_back
        templates = (await session.list_resource_templates()).resource_templates
        assert templates[0].uri_template == "skill://{name}/{+path}", templates


async def main(kind, target):
    if kind == "http":
        async with streamable_http_client(target[0]) as streams:
            await check(streams[0], streams[1])
    else:
        server = StdioServerParameters(command=target[0], args=target[1:])
        async with stdio_client(server) as (read, write):
            await check(read, write)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2:]))
    print("the Python SDK is served:", sys.argv[1])
