"""A client of the MCP SDK for Python, on PYTHONPATH. Prints one line of JSON: what it saw, or that it waits for good.

    client.py newest|older check|wait <url>
    client.py newest|older check|wait <forge> <data folder>
"""

import json
import sys
import time
from contextlib import asynccontextmanager

import anyio

flavor, mode, target, *data = sys.argv[1:]


@asynccontextmanager
async def connected():
    from mcp import StdioServerParameters

    stdio = StdioServerParameters(command=target, args=["mcp", "--data", data[0]]) if data else None
    if flavor == "newest":
        from mcp import Client

        async with Client(stdio or f"{target}/mcp") as client:
            yield client, client.session.protocol_version
    else:
        from mcp import ClientSession
        from mcp.client.stdio import stdio_client
        from mcp.client.streamable_http import streamablehttp_client

        transport = stdio_client(stdio) if stdio else streamablehttp_client(f"{target}/mcp")
        async with transport as (read, write, *_), ClientSession(read, write) as session:
            hello = await session.initialize()
            yield session, hello.protocolVersion


def said(result):
    return json.loads(result.content[0].text)


def is_error(result):
    return result.is_error if hasattr(result, "is_error") else result.isError


async def check():
    seen = {}
    async with connected() as (client, version):
        seen |= {"version": version, "tools": len((await client.list_tools()).tools)}
        unknown = await client.call_tool("get_task", {"task_id": "00000000-0000-4000-8000-000000000000"})
        seen["error"] = [is_error(unknown), said(unknown)["details"]["code"]]
        counts = []

        async def listed():
            counts.append(said(await client.call_tool("list_projects", {}))["count"])

        async with anyio.create_task_group() as group:
            for _ in range(50):
                group.start_soon(listed)
        seen["fifty"] = counts.count(0)
        async with anyio.create_task_group() as group:
            group.start_soon(client.call_tool, "list_approvals", {"wait_seconds": 60})
            await client.list_tools()
            group.cancel_scope.cancel()
        seen["canceled"] = "canceled"
        seen["after"] = len((await client.list_tools()).tools)
        async with anyio.create_task_group() as group:
            group.start_soon(client.call_tool, "list_approvals", {"wait_seconds": 60})
            await client.list_tools()
            group.cancel_scope.cancel()
        begun = time.monotonic()
    seen["closed_ms"] = round((time.monotonic() - begun) * 1000)
    print(json.dumps(seen), flush=True)


async def wait():
    async with connected() as (client, _), anyio.create_task_group() as group:
        group.start_soon(client.call_tool, "list_approvals", {"wait_seconds": 60})
        # What was sent after it is answered, so it is under way.
        await client.list_tools()
        print(json.dumps({"waits": True}), flush=True)
        await anyio.sleep_forever()


anyio.run(check if mode == "check" else wait)
