#!/usr/bin/env python3
r"""A scripted stand-in for a model provider, for driving real coding agents in tests.

One loopback HTTP server speaks the wire formats coding agents use:

    Anthropic Messages          POST /v1/messages
    OpenAI Responses            POST /v1/responses
    OpenAI Chat Completions     POST /v1/chat/completions
    Gemini generateContent      POST /v1beta/models/<m>:generateContent
                                POST /v1beta/models/<m>:streamGenerateContent

There is no model behind it. The conversation in each request decides the reply:
a prompt holds steps such as `[[write hello.txt|hi]]`, the server plays one step
per model turn in terms of whatever tools the agent offers, then says it is done.
The server keeps no conversation state, so resuming, forking and running several
agents at once need nothing special.

The steps, in double brackets:

    write PATH|TEXT     writes a file (\n in TEXT is a new line)
    read PATH           reads a file (several agents refuse to edit what they have not read)
    edit PATH|OLD|NEW   replaces text in a file
    run COMMAND         runs a shell command
    call TOOL|JSON      calls exactly this tool with these arguments
    say TEXT            says this before the next step, or as the answer
    wait DIR            thinks until the FIFO DIR/go is written to, after it has told so by the FIFO DIR/here
    slow SECONDS        streams `tick 0 tick 1 ...`, four a second. Ends the script
    http STATUS         answers with this HTTP error every time. Ends the script
    drop                cuts the connection in the middle of the answer. Ends the script

A prompt with no steps writes hello.txt; a follow-up with no steps changes it. The key `bad-key` gets 401.
Requests that offer no tools (titles, summaries, routing) get a short text, or the smallest JSON that fits the
schema they ask for.

Python 3.9 or newer, standard library only.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import sys
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Iterator, Optional

MAX_BODY_BYTES = 16 * 1024 * 1024
MAX_SLOW_SECONDS = 120
MAX_STEPS = 20
BAD_KEY = "bad-key"
MODEL = "stub-model"
ERRORS = {401: "stub: invalid API key", 500: "stub: Internal server error"}  # in the words that services use


# --------------------------------------------------------------------------
# The conversation, in one shape for all four wire formats
# --------------------------------------------------------------------------

@dataclass
class Message:
    role: str                       # "user", "assistant" or "tool"
    text: str = ""
    tool_calls: int = 0             # tool calls made (assistant)
    tool_results: int = 0           # tool results carried (user or tool)


@dataclass
class Tool:
    name: str
    schema: dict = field(default_factory=dict)   # JSON schema of the arguments
    freeform: bool = False                       # takes raw text (OpenAI custom tool)
    namespace: Optional[str] = None              # Responses tool namespace, if any

    @property
    def properties(self) -> dict:
        return self.schema.get("properties") or {}


@dataclass
class Conversation:
    model: str
    messages: list
    tools: list
    system: str = ""
    stream: bool = True
    include_usage: bool = False     # Chat Completions only
    json_schema: Optional[dict] = None


# --------------------------------------------------------------------------
# The script: what the prompt asks the stub to do
# --------------------------------------------------------------------------

@dataclass
class Step:
    verb: str                       # read, write, edit, run, call, say, wait, slow, http, drop
    args: list

    def __str__(self) -> str:
        return f"[[{self.verb} {'|'.join(self.args)}]]"


TOOL_VERBS = ("read", "write", "edit", "run", "call")
STEP_RE = re.compile(r"\[\[(read|write|edit|run|call|say|wait|slow|http|drop)\s*(.*?)\]\]", re.S)

# Used when no message holds a step: the first prompt creates a file, each
# follow-up changes it.
DEFAULT_FIRST = "[[write hello.txt|Hello from the stub model.]]"
DEFAULT_NEXT = "[[read hello.txt]] [[edit hello.txt|Hello from|Hello again from]]"

# Text agents put around or beside what the user typed.
WRAPPERS_RE = re.compile(
    r"<(system-reminder|environment_context|environment_details|user_instructions|"
    r"session_context|user_info|context|info-msg|task_progress)\b.*?</\1>", re.S)


def parse_steps(text: str) -> list:
    steps = []
    for verb, rest in STEP_RE.findall(text)[:MAX_STEPS]:
        if verb != "call":          # its arguments are JSON, with escapes of their own
            rest = rest.replace("\\n", "\n")
        steps.append(Step(verb, rest.split("|")))
    return steps


def current_script(conv: Conversation) -> tuple:
    """The steps of the newest prompt, and how many of them were already played."""
    for i in range(len(conv.messages) - 1, -1, -1):
        message = conv.messages[i]
        steps = parse_steps(WRAPPERS_RE.sub("", message.text)) if message.role == "user" else []
        if steps:
            # Some agents make one message of a prompt that was interrupted and the next: what ends a script
            # is then the end of the first.
            ends = [n for n, step in enumerate(steps[:-1]) if step.verb in ("slow", "http", "drop")]
            steps = steps[ends[-1] + 1:] if ends else steps
            start = i
            break
    else:
        prompts = [i for i, m in enumerate(conv.messages)
                   if m.role == "user" and not m.tool_results
                   and WRAPPERS_RE.sub("", m.text).strip()]
        if not prompts:
            return [], 0
        # An agent may split one prompt over several messages; what separates two
        # prompts is an assistant message between them.
        turns, last = 0, -1
        for i in prompts:
            if last < 0 or any(m.role == "assistant" for m in conv.messages[last:i]):
                turns += 1
            last = i
        steps = parse_steps(DEFAULT_FIRST if turns == 1 else DEFAULT_NEXT)
        start = last
    played = sum(m.tool_calls for m in conv.messages[start + 1:])
    return steps, played


# --------------------------------------------------------------------------
# Turning a step into a call of a tool the agent offers
# --------------------------------------------------------------------------

READ_TOOLS = ("read", "read_file", "view", "readfile", "read_files", "developer__view", "file_editor")
WRITE_TOOLS = ("write", "write_file", "create_file", "create", "write_to_file", "file_write",
               "developer__write", "search_replace")
EDIT_TOOLS = ("edit", "replace", "str_replace", "edit_file", "replace_in_file", "editor",
              "search_replace", "developer__edit", "strreplacefile", "str_replace_editor", "file_editor")
SHELL_TOOLS = ("bash", "shell", "exec_command", "run_shell_command", "shell_command", "local_shell",
               "execute_command", "run_command", "run_commands", "run_terminal_command", "terminal",
               "developer__shell", "container.exec", "execute")
PATCH_TOOLS = ("apply_patch",)
FINISH_TOOLS = ("attempt_completion", "submit_and_exit", "finish")

PATH_KEYS = ("file_path", "filePath", "filepath", "absolute_path", "target_file", "path", "filename", "file")
CONTENT_KEYS = ("content", "contents", "file_text", "text", "new_text")
OLD_KEYS = ("old_string", "oldString", "old_str", "old_text", "oldText", "search", "before")
NEW_KEYS = ("new_string", "newString", "new_str", "new_text", "newText", "replace", "after")
COMMAND_KEYS = ("command", "cmd", "commands", "script")

CWD_RES = [re.compile(p) for p in (
    r"<cwd>\s*(/[^<\s]*)\s*</cwd>",
    r"(?i)(?:primary |current )?working directory(?: is| path)?\s*[:=]?\s*[`'\"]?(/[^\s`'\"<>),]+)",
    r"(?i)working in the directory:\s*[`'\"]?(/[^\s`'\"<>),]+)",
    r"(?i)\bcwd\b\s*[:=]\s*[`'\"]?(/[^\s`'\"<>),]+)",
    r"(?i)workspace(?: directories| root| path| directory)?[^\n/]{0,40}[:=]?\s*\n?\s*-?\s*[`'\"]?(/[^\s`'\"<>),]+)",
    r"(?i)current directory[^\n/]{0,20}[`'\"]?(/[^\s`'\"<>),]+)",
)]


@dataclass
class Call:
    tool: Tool
    args: Any                       # dict, or text for a freeform tool


def find_tool(conv: Conversation, names: tuple) -> Optional[Tool]:
    by_name = {}
    for tool in conv.tools:
        by_name.setdefault(tool.name.lower(), tool)
    return next((by_name[n] for n in names if n in by_name), None)


def first_key(tool: Tool, keys: tuple) -> Optional[str]:
    return next((k for k in keys if k in tool.properties), None)


def guess_cwd(conv: Conversation) -> Optional[str]:
    """Agents tell the model where they work; several demand absolute paths back."""
    texts = [conv.system] + [m.text for m in conv.messages if m.role != "assistant"]
    for pattern in CWD_RES:
        for text in texts:
            found = pattern.search(text)
            if found:
                return found.group(1).rstrip("/.,;:")
    return None


def minimal_instance(schema: dict, name: str = "") -> Any:
    """The smallest value a JSON schema accepts, near enough for tool arguments."""
    if not isinstance(schema, dict):
        return "stub"
    if "const" in schema:
        return schema["const"]
    if schema.get("enum"):
        return schema["enum"][0]
    if "default" in schema:
        return schema["default"]
    for key in ("anyOf", "oneOf", "allOf"):
        if schema.get(key):
            return minimal_instance(schema[key][0], name)
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next((k for k in kind if k != "null"), "null")
    kind = str(kind or "string").lower()
    if kind == "object":
        props = schema.get("properties") or {}
        return {k: minimal_instance(props.get(k, {}), k) for k in schema.get("required", [])}
    if kind == "array":
        return []
    if kind == "boolean":
        return False
    if kind in ("integer", "number"):
        return 1
    return f"stub {name}".strip()


def fill(tool: Tool, known: dict) -> dict:
    """Known arguments, plus a minimal value for every other required one."""
    args = dict(known)
    for key in tool.schema.get("required", []):
        if key not in args:
            args[key] = minimal_instance(tool.properties.get(key, {}), key)
    return args


def shell_call(tool: Tool, command: str) -> Call:
    key = first_key(tool, COMMAND_KEYS) or "command"
    spec = tool.properties.get(key, {})
    if str(spec.get("type", "")).lower() == "array":
        value: Any = ["bash", "-lc", command] if key == "command" else [command]
    else:
        value = command
    return Call(tool, fill(tool, {key: value}))


def patch_call(tool: Tool, patch: str) -> Call:
    if tool.freeform:
        return Call(tool, patch)
    return Call(tool, fill(tool, {first_key(tool, ("input", "patch", "patchText", "patch_text")) or "input": patch}))


def plan_call(conv: Conversation, step: Step) -> Optional[Call]:
    """The tool call that performs the step, or None when no offered tool can."""
    shell = find_tool(conv, SHELL_TOOLS)
    patch = find_tool(conv, PATCH_TOOLS)
    cwd = guess_cwd(conv)

    def absolute(path: str) -> str:
        return path if path.startswith("/") or not cwd else f"{cwd}/{path}"

    if step.verb == "call":         # [[call tool_name|{"json": "arguments"}]]
        tool = find_tool(conv, (step.args[0].strip().lower(),))
        if not tool:
            return None
        raw = "|".join(step.args[1:]) or "{}"
        return Call(tool, raw if tool.freeform else fill(tool, json.loads(raw)))

    if step.verb == "run":
        return shell_call(shell, "|".join(step.args)) if shell else None

    if step.verb == "read":
        path = step.args[0].strip()
        tool = find_tool(conv, READ_TOOLS)
        key = first_key(tool, PATH_KEYS) if tool else None
        if key:
            view = {"command": "view"} if "command" in tool.properties else {}
            return Call(tool, fill(tool, {key: absolute(path), **view}))
        return shell_call(shell, f"cat {shlex.quote(path)}") if shell else None

    if step.verb == "write":
        path, content = step.args[0].strip(), "|".join(step.args[1:]).rstrip("\n") + "\n"
        tool = find_tool(conv, WRITE_TOOLS)
        if tool and first_key(tool, PATH_KEYS) and first_key(tool, CONTENT_KEYS):
            return Call(tool, fill(tool, {first_key(tool, PATH_KEYS): absolute(path),
                                          first_key(tool, CONTENT_KEYS): content}))
        if patch:
            body = "".join(f"+{line}\n" for line in content.splitlines())
            return patch_call(patch, f"*** Begin Patch\n*** Add File: {path}\n{body}*** End Patch\n")
        editor = find_tool(conv, EDIT_TOOLS)
        if editor and "file_text" in editor.properties:
            return Call(editor, fill(editor, {"command": "create", first_key(editor, PATH_KEYS): absolute(path),
                                              "file_text": content}))
        if editor and first_key(editor, NEW_KEYS) and first_key(editor, PATH_KEYS):
            return Call(editor, fill(editor, {first_key(editor, PATH_KEYS): absolute(path),
                                              first_key(editor, OLD_KEYS): "",
                                              first_key(editor, NEW_KEYS): content}))
        if shell:
            return shell_call(shell, f"printf %s {shlex.quote(content)} > {shlex.quote(path)}")
        return None

    if step.verb == "edit":
        path, old, new = (step.args + ["", ""])[:3]
        path = path.strip()
        tool = find_tool(conv, EDIT_TOOLS)
        if tool and first_key(tool, PATH_KEYS):
            if first_key(tool, OLD_KEYS):
                known = {first_key(tool, PATH_KEYS): absolute(path),
                         first_key(tool, OLD_KEYS): old, first_key(tool, NEW_KEYS): new}
                if "command" in tool.properties:
                    known["command"] = "str_replace"
                return Call(tool, fill(tool, known))
            if "edits" in tool.properties:
                item = tool.properties["edits"].get("items", {}).get("properties", {})
                keys = ([k for k in OLD_KEYS if k in item] or ["oldText"])[0], \
                       ([k for k in NEW_KEYS if k in item] or ["newText"])[0]
                return Call(tool, fill(tool, {first_key(tool, PATH_KEYS): absolute(path),
                                              "edits": [{keys[0]: old, keys[1]: new}]}))
        if shell:
            program = "import sys; p, a, b = sys.argv[1:]; s = open(p).read(); open(p, 'w').write(s.replace(a, b))"
            return shell_call(shell, " ".join(["python3", "-c", shlex.quote(program)] +
                                              [shlex.quote(x) for x in (path, old, new)]))
    return None


# --------------------------------------------------------------------------
# The reply, before it is put on the wire
# --------------------------------------------------------------------------

@dataclass
class Reply:
    text: list = field(default_factory=list)     # pieces of text, streamed one by one
    call: Optional[Call] = None
    pause: float = 0.0                           # seconds between pieces
    status: int = 200                            # an HTTP error instead of a reply
    drop: bool = False                           # cut the connection in mid-reply
    gate: Optional[str] = None                   # the folder of the FIFOs at which the reply waits


def pieces(text: str) -> list:
    return re.findall(r"\S+\s*", text) or [text]


def decide(conv: Conversation) -> Reply:
    if conv.json_schema is not None:
        return Reply(text=[json.dumps(minimal_instance(conv.json_schema))])
    if not conv.tools:
        # Side errands: titles, summaries, connectivity checks.
        return Reply(text=["Stub", " title"])
    steps, played = current_script(conv)
    said: list = []
    gate = None
    passed = 0                      # tool steps passed over so far
    for step in steps:
        arg = step.args[0].strip()
        if step.verb in TOOL_VERBS:
            passed += 1
            if passed <= played:
                continue
            call = plan_call(conv, step)
            if call is None:
                return Reply(text=pieces(f"No offered tool can do {step}."))
            return Reply(text=said or pieces(f"I will do step {passed}."), call=call, gate=gate)
        if passed < played:
            continue                # said in a turn that is over
        if step.verb == "say":
            said += ([" "] if said else []) + pieces("|".join(step.args))
        elif step.verb == "wait":
            gate = arg
        elif step.verb == "slow":
            seconds = min(float(arg or 10), MAX_SLOW_SECONDS)
            return Reply(text=[f"tick {n} " for n in range(int(seconds * 4))], pause=0.25)
        elif step.verb == "http":
            return Reply(status=int(arg or 500))
        elif step.verb == "drop":
            return Reply(text=pieces("This reply is cut off "), drop=True)
    text = said or pieces(f"Done: {played} step(s) played.")
    finish = find_tool(conv, FINISH_TOOLS)
    if finish:
        key = first_key(finish, ("result", "message", "summary"))
        return Reply(text=text, call=Call(finish, fill(finish, {key: "".join(text).strip()} if key else {})), gate=gate)
    return Reply(text=text, gate=gate)


# --------------------------------------------------------------------------
# Wire formats: request -> Conversation, Reply -> server-sent events
# --------------------------------------------------------------------------

Event = tuple                      # (event name or None, data as dict or str)


def tokens(*texts: str) -> int:
    return sum(len(t) for t in texts) // 4 + 1


def call_arguments(call: Call) -> str:
    return call.args if isinstance(call.args, str) else json.dumps(call.args)


class Anthropic:
    name = "anthropic"

    @staticmethod
    def parse(body: dict) -> Conversation:
        messages = []
        for m in body.get("messages", []):
            blocks = m["content"] if isinstance(m["content"], list) else [{"type": "text", "text": m["content"]}]
            messages.append(Message(
                "user" if m["role"] == "system" else m["role"],
                "\n".join(b.get("text", "") for b in blocks if b.get("type") == "text"),
                sum(b.get("type") == "tool_use" for b in blocks),
                sum(b.get("type") == "tool_result" for b in blocks)))
        system = body.get("system") or ""
        if isinstance(system, list):
            system = "\n".join(b.get("text", "") for b in system)
        tools = [Tool(t["name"], t.get("input_schema") or {}) for t in body.get("tools") or [] if "name" in t]
        fmt = (body.get("output_config") or {}).get("format") or body.get("output_format") or {}
        return Conversation(body.get("model", MODEL), messages, tools, system, bool(body.get("stream")),
                            json_schema=fmt.get("schema"))

    @staticmethod
    def stream(conv: Conversation, reply: Reply, ident: str) -> Iterator[Event]:
        usage = {"input_tokens": tokens(conv.system, *(m.text for m in conv.messages)),
                 "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 1}
        yield "message_start", {"type": "message_start", "message": {
            "id": f"msg_{ident}", "type": "message", "role": "assistant", "model": conv.model,
            "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}}
        yield "content_block_start", {"type": "content_block_start", "index": 0,
                                      "content_block": {"type": "text", "text": ""}}
        for piece in reply.text:
            yield "content_block_delta", {"type": "content_block_delta", "index": 0,
                                          "delta": {"type": "text_delta", "text": piece}}
        yield "content_block_stop", {"type": "content_block_stop", "index": 0}
        if reply.call:
            yield "content_block_start", {"type": "content_block_start", "index": 1, "content_block": {
                "type": "tool_use", "id": f"toolu_{ident}", "name": reply.call.tool.name, "input": {}}}
            yield "content_block_delta", {"type": "content_block_delta", "index": 1, "delta": {
                "type": "input_json_delta", "partial_json": call_arguments(reply.call)}}
            yield "content_block_stop", {"type": "content_block_stop", "index": 1}
        yield "message_delta", {"type": "message_delta",
                                "delta": {"stop_reason": "tool_use" if reply.call else "end_turn",
                                          "stop_sequence": None},
                                "usage": dict(usage, output_tokens=tokens(*reply.text))}
        yield "message_stop", {"type": "message_stop"}

    @staticmethod
    def whole(conv: Conversation, reply: Reply, ident: str) -> dict:
        content: list = [{"type": "text", "text": "".join(reply.text)}]
        if reply.call:
            content.append({"type": "tool_use", "id": f"toolu_{ident}", "name": reply.call.tool.name,
                            "input": reply.call.args})
        return {"id": f"msg_{ident}", "type": "message", "role": "assistant", "model": conv.model,
                "content": content, "stop_reason": "tool_use" if reply.call else "end_turn",
                "stop_sequence": None, "usage": {"input_tokens": 10, "output_tokens": tokens(*reply.text)}}

    @staticmethod
    def error(status: int, message: str) -> dict:
        kind = {401: "authentication_error", 429: "rate_limit_error", 529: "overloaded_error"}
        return {"type": "error", "error": {"type": kind.get(status, "api_error"), "message": message}}


class Responses:
    name = "responses"

    @staticmethod
    def parse(body: dict) -> Conversation:
        messages, system = [], body.get("instructions") or ""
        items = body.get("input") or []
        if isinstance(items, str):
            items = [{"type": "message", "role": "user", "content": items}]
        for item in items:
            kind = item.get("type", "message")
            if kind == "message":
                content = item.get("content")
                text = content if isinstance(content, str) else \
                    "\n".join(c.get("text", "") for c in content or [])
                if item.get("role") in ("system", "developer"):
                    system += "\n" + text
                else:
                    messages.append(Message(item["role"], text))
            elif kind in ("function_call", "custom_tool_call", "local_shell_call"):
                messages.append(Message("assistant", tool_calls=1))
            elif kind.endswith("_output"):
                messages.append(Message("tool", tool_results=1))
        tools = []

        def add(specs: list, namespace: Optional[str]) -> None:
            for spec in specs:
                if spec.get("type") == "namespace":
                    add(spec.get("tools") or [], spec.get("name"))
                elif spec.get("type") in ("function", "custom"):
                    tools.append(Tool(spec["name"], spec.get("parameters") or {},
                                      spec["type"] == "custom", namespace))

        add(body.get("tools") or [], None)
        fmt = (body.get("text") or {}).get("format") or {}
        return Conversation(body.get("model", MODEL), messages, tools, system, bool(body.get("stream")),
                            json_schema=fmt.get("schema"))

    @staticmethod
    def items(reply: Reply, ident: str) -> list:
        items: list = [{"id": f"msg_{ident}", "type": "message", "role": "assistant", "status": "completed",
                        "content": [{"type": "output_text", "text": "".join(reply.text), "annotations": []}]}]
        if reply.call:
            tool = reply.call.tool
            item = {"id": f"fc_{ident}", "call_id": f"call_{ident}", "name": tool.name, "status": "completed"}
            if tool.freeform:
                item.update(type="custom_tool_call", input=call_arguments(reply.call))
            else:
                item.update(type="function_call", arguments=call_arguments(reply.call))
            if tool.namespace:
                item["namespace"] = tool.namespace
            items.append(item)
        return items

    @classmethod
    def whole(cls, conv: Conversation, reply: Reply, ident: str) -> dict:
        used = tokens(conv.system, *(m.text for m in conv.messages))
        made = tokens(*reply.text)
        return {"id": f"resp_{ident}", "object": "response", "created_at": int(time.time()),
                "status": "completed", "model": conv.model, "output": cls.items(reply, ident),
                "parallel_tool_calls": False, "tool_choice": "auto", "tools": [],
                "usage": {"input_tokens": used, "input_tokens_details": {"cached_tokens": 0},
                          "output_tokens": made, "output_tokens_details": {"reasoning_tokens": 0},
                          "total_tokens": used + made}}

    @classmethod
    def stream(cls, conv: Conversation, reply: Reply, ident: str) -> Iterator[Event]:
        number = 0

        def event(kind: str, **data: Any) -> Event:
            nonlocal number
            number += 1
            return kind, {"type": kind, "sequence_number": number, **data}

        whole = cls.whole(conv, reply, ident)
        opening = dict(whole, status="in_progress", output=[], usage=None)
        yield event("response.created", response=opening)
        yield event("response.in_progress", response=opening)
        message = whole["output"][0]
        at = {"item_id": message["id"], "output_index": 0, "content_index": 0}
        part = message["content"][0]
        yield event("response.output_item.added", output_index=0,
                    item=dict(message, status="in_progress", content=[]))
        yield event("response.content_part.added", **at, part=dict(part, text=""))
        for piece in reply.text:
            yield event("response.output_text.delta", **at, delta=piece, logprobs=[])
        yield event("response.output_text.done", **at, text=part["text"], logprobs=[])
        yield event("response.content_part.done", **at, part=part)
        yield event("response.output_item.done", output_index=0, item=message)
        for index, item in enumerate(whole["output"][1:], 1):
            slot = "input" if item["type"] == "custom_tool_call" else "arguments"
            kind = "custom_tool_call_input" if slot == "input" else "function_call_arguments"
            at = {"item_id": item["id"], "output_index": index}
            yield event("response.output_item.added", output_index=index,
                        item=dict(item, status="in_progress", **{slot: ""}))
            yield event(f"response.{kind}.delta", **at, delta=item[slot])
            yield event(f"response.{kind}.done", **at, **{slot: item[slot]})
            yield event("response.output_item.done", output_index=index, item=item)
        yield event("response.completed", response=whole)

    @staticmethod
    def error(status: int, message: str) -> dict:
        return {"error": {"message": message, "type": "invalid_request_error" if status < 500 else "server_error",
                          "param": None, "code": "invalid_api_key" if status == 401 else None}}


class Chat:
    name = "chat"
    error = Responses.error

    @staticmethod
    def parse(body: dict) -> Conversation:
        messages, system = [], ""
        for m in body.get("messages", []):
            content = m.get("content") or ""
            text = content if isinstance(content, str) else "\n".join(c.get("text", "") for c in content)
            if m["role"] in ("system", "developer"):
                system += "\n" + text
            elif m["role"] == "tool":
                messages.append(Message("tool", text, tool_results=1))
            else:
                messages.append(Message(m["role"], text, len(m.get("tool_calls") or [])))
        tools = [Tool(t["function"]["name"], t["function"].get("parameters") or {})
                 for t in body.get("tools") or [] if t.get("type") == "function"]
        fmt = body.get("response_format") or {}
        return Conversation(body.get("model", MODEL), messages, tools, system, bool(body.get("stream")),
                            bool((body.get("stream_options") or {}).get("include_usage")),
                            (fmt.get("json_schema") or {}).get("schema"))

    @staticmethod
    def usage(conv: Conversation, reply: Reply) -> dict:
        used, made = tokens(conv.system, *(m.text for m in conv.messages)), tokens(*reply.text)
        return {"prompt_tokens": used, "completion_tokens": made, "total_tokens": used + made}

    @staticmethod
    def tool_call(call: Call, ident: str) -> dict:
        return {"id": f"call_{ident}", "type": "function",
                "function": {"name": call.tool.name, "arguments": call_arguments(call)}}

    @classmethod
    def stream(cls, conv: Conversation, reply: Reply, ident: str) -> Iterator[Event]:
        def chunk(delta: dict, finish: Optional[str] = None) -> Event:
            return None, {"id": f"chatcmpl-{ident}", "object": "chat.completion.chunk",
                          "created": int(time.time()), "model": conv.model,
                          "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
        yield chunk({"role": "assistant", "content": ""})
        for piece in reply.text:
            yield chunk({"content": piece})
        if reply.call:
            yield chunk({"tool_calls": [dict(cls.tool_call(reply.call, ident), index=0)]})
        yield chunk({}, "tool_calls" if reply.call else "stop")
        if conv.include_usage:
            last = chunk({})[1]
            yield None, dict(last, choices=[], usage=cls.usage(conv, reply))
        yield None, "[DONE]"

    @classmethod
    def whole(cls, conv: Conversation, reply: Reply, ident: str) -> dict:
        message: dict = {"role": "assistant", "content": "".join(reply.text)}
        if reply.call:
            message["tool_calls"] = [cls.tool_call(reply.call, ident)]
        return {"id": f"chatcmpl-{ident}", "object": "chat.completion", "created": int(time.time()),
                "model": conv.model, "usage": cls.usage(conv, reply),
                "choices": [{"index": 0, "message": message,
                             "finish_reason": "tool_calls" if reply.call else "stop"}]}


class Gemini:
    name = "gemini"

    @staticmethod
    def parse(body: dict) -> Conversation:
        messages = []
        for m in body.get("contents", []):
            parts = m.get("parts") or []
            messages.append(Message(
                "assistant" if m.get("role") == "model" else "user",
                "\n".join(p.get("text", "") for p in parts if not p.get("thought")),
                sum("functionCall" in p for p in parts), sum("functionResponse" in p for p in parts)))
        system = "\n".join(p.get("text", "") for p in (body.get("systemInstruction") or {}).get("parts") or [])
        tools = [Tool(f["name"], f.get("parametersJsonSchema") or f.get("parameters") or {})
                 for t in body.get("tools") or [] for f in t.get("functionDeclarations") or []]
        config = body.get("generationConfig") or {}
        schema = config.get("responseJsonSchema") or config.get("responseSchema")
        return Conversation(MODEL, messages, tools, system, json_schema=schema)

    @staticmethod
    def chunk(conv: Conversation, parts: list, ident: str, finish: bool) -> dict:
        used = tokens(conv.system, *(m.text for m in conv.messages))
        candidate: dict = {"content": {"parts": parts, "role": "model"}, "index": 0}
        if finish:
            candidate["finishReason"] = "STOP"
        return {"candidates": [candidate], "modelVersion": conv.model, "responseId": ident,
                "usageMetadata": {"promptTokenCount": used, "candidatesTokenCount": 5,
                                  "totalTokenCount": used + 5}}

    @staticmethod
    def parts(reply: Reply, ident: str) -> list:
        if not reply.call:
            return []
        return [{"functionCall": {"id": f"call_{ident}", "name": reply.call.tool.name, "args": reply.call.args},
                 "thoughtSignature": "c3R1Yg=="}]

    @classmethod
    def stream(cls, conv: Conversation, reply: Reply, ident: str) -> Iterator[Event]:
        for piece in reply.text:
            yield None, cls.chunk(conv, [{"text": piece}], ident, False)
        yield None, cls.chunk(conv, cls.parts(reply, ident) or [{"text": ""}], ident, True)

    @classmethod
    def whole(cls, conv: Conversation, reply: Reply, ident: str) -> dict:
        return cls.chunk(conv, [{"text": "".join(reply.text)}] + cls.parts(reply, ident), ident, True)

    @staticmethod
    def error(status: int, message: str) -> dict:
        names = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED",
                 429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE"}
        return {"error": {"code": status, "message": message, "status": names.get(status, "INTERNAL")}}


ROUTES = (
    (re.compile(r"/messages$"), Anthropic),
    (re.compile(r"/responses$"), Responses),
    (re.compile(r"/chat/completions$"), Chat),
    (re.compile(r":(?:streamG|g)enerateContent$"), Gemini),
)


# --------------------------------------------------------------------------
# HTTP
# --------------------------------------------------------------------------

class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "StubServer"

    def log_message(self, *_: Any) -> None:
        pass

    # -- requests ----------------------------------------------------------

    def do_HEAD(self) -> None:
        self.reply_json(200, {})

    def do_GET(self) -> None:
        path = self.path.split("?")[0].rstrip("/")
        self.server.record(self, path, None, 200)
        if path.endswith("/models"):
            entry = {"id": MODEL, "object": "model", "created": 0, "owned_by": "stub", "type": "model",
                     "display_name": "Stub", "created_at": "2025-01-01T00:00:00Z",
                     "name": f"models/{MODEL}", "supportedGenerationMethods": ["generateContent"]}
            return self.reply_json(200, {"object": "list", "data": [entry], "models": [entry], "has_more": False})
        if path in ("", "/healthz"):
            return self.reply_json(200, {"ok": True})
        self.reply_json(404, {"error": {"message": f"no such path: {path}"}})

    def do_POST(self) -> None:
        path = self.path.split("?")[0].rstrip("/")
        body = self.read_body()
        if body is None:
            return
        if path.endswith("/count_tokens"):
            self.server.record(self, path, body, 200)
            return self.reply_json(200, {"input_tokens": 100})
        if path.endswith(":countTokens"):
            self.server.record(self, path, body, 200)
            return self.reply_json(200, {"totalTokens": 100})
        wire = next((w for pattern, w in ROUTES if pattern.search(path)), None)
        if wire is None:
            self.server.record(self, path, body, 404)
            return self.reply_json(404, {"error": {"message": f"no such path: {path}"}})
        if self.key() == BAD_KEY:
            self.server.record(self, path, body, 401)
            return self.reply_json(401, wire.error(401, "stub: invalid API key"))
        if not self.server.take_turn():
            return self.reply_json(503, wire.error(503, "stub: --max-requests reached"))
        conv = wire.parse(body)
        if wire is Gemini:
            conv.model = re.sub(r".*/models/|:.*", "", path)
            conv.stream = "streamGenerateContent" in path
        reply = decide(conv)
        ident = f"stub{self.server.next_id():04d}"
        self.server.record(self, path, body, reply.status, conv, reply)
        if reply.gate:
            self.server.wait_at(Path(reply.gate))
        if reply.status != 200:
            return self.reply_json(reply.status, wire.error(reply.status, ERRORS.get(reply.status, f"stub: scripted {reply.status}")))
        if conv.stream:
            return self.reply_events(wire.stream(conv, reply, ident), reply)
        if reply.drop:
            self.close_connection = True
            return None
        time.sleep(reply.pause * len(reply.text))
        self.reply_json(200, wire.whole(conv, reply, ident))

    def key(self) -> str:
        auth = self.headers.get("authorization", "")
        query = re.search(r"[?&]key=([^&]+)", self.path)
        return (self.headers.get("x-api-key") or self.headers.get("x-goog-api-key")
                or auth.removeprefix("Bearer ").strip() or (query.group(1) if query else ""))

    def read_body(self) -> Optional[dict]:
        length = int(self.headers.get("content-length") or 0)
        if length > MAX_BODY_BYTES:
            self.close_connection = True
            self.reply_json(413, {"error": {"message": "body too large"}})
            return None
        raw = self.rfile.read(length)
        try:
            return json.loads(raw or b"{}")
        except ValueError:
            self.reply_json(400, {"error": {"message": "body is not JSON (is it compressed?)"}})
            return None

    # -- responses ---------------------------------------------------------

    def reply_json(self, status: int, body: dict) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def reply_events(self, events: Iterator[Event], reply: Reply) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("cache-control", "no-cache")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        try:
            for count, (name, data) in enumerate(events):
                if reply.drop and count == 4:
                    self.close_connection = True
                    return
                text = data if isinstance(data, str) else json.dumps(data)
                block = (f"event: {name}\n" if name else "") + f"data: {text}\n\n"
                raw = block.encode()
                self.wfile.write(b"%x\r\n%s\r\n" % (len(raw), raw))
                self.wfile.flush()
                if reply.pause:
                    time.sleep(reply.pause)
            self.wfile.write(b"0\r\n\r\n")
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True        # the agent was interrupted


class StubServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, port: int, max_requests: int, log: Optional[Path], log_bodies: bool):
        super().__init__(("127.0.0.1", port), Handler)
        self.lock = threading.Lock()
        self.turns_left = max_requests
        self.count = 0
        self.log = log
        self.log_bodies = log_bodies
        self.gates: dict = {}

    def wait_at(self, gate: Path) -> None:
        """Whoever comes first tells it and waits for all; a gate that was opened stays open."""
        with self.lock:
            first, opened = gate not in self.gates, self.gates.setdefault(gate, threading.Event())
        if first:
            (gate / "here").write_text("here\n")
            (gate / "go").read_text()
            opened.set()
        opened.wait()

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], (BrokenPipeError, ConnectionResetError)):
            super().handle_error(request, client_address)

    def take_turn(self) -> bool:
        with self.lock:
            self.turns_left -= 1
            return self.turns_left >= 0

    def next_id(self) -> int:
        with self.lock:
            self.count += 1
            return self.count

    def record(self, handler: Handler, path: str, body: Optional[dict], status: int,
               conv: Optional[Conversation] = None, reply: Optional[Reply] = None) -> None:
        if not self.log:
            return
        entry: dict = {"time": round(time.time(), 3), "method": handler.command, "path": path, "status": status,
                       "agent": handler.headers.get("user-agent")}
        if conv:
            entry.update(model=conv.model, messages=len(conv.messages), tools=[t.name for t in conv.tools],
                         cwd=guess_cwd(conv))
        if reply and reply.call:
            entry["call"] = {"tool": reply.call.tool.name, "args": reply.call.args}
        elif reply:
            entry["text"] = "".join(reply.text)[:200]
        if self.log_bodies:
            entry["body"] = body
        with self.lock, self.log.open("a") as out:
            out.write(json.dumps(entry) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--port", type=int, default=0, help="port on 127.0.0.1 (0: any free one)")
    parser.add_argument("--port-file", type=Path, help="write the port here once listening")
    parser.add_argument("--max-requests", type=int, default=1000, help="model turns served, then 503")
    parser.add_argument("--max-seconds", type=float, default=3600, help="exit after this long")
    parser.add_argument("--until-eof", action="store_true", help="exit when standard input ends")
    parser.add_argument("--log", type=Path, help="append one JSON line per request")
    parser.add_argument("--log-bodies", action="store_true", help="with --log: keep whole request bodies")
    args = parser.parse_args()

    server = StubServer(args.port, args.max_requests, args.log, args.log_bodies)
    port = server.server_address[1]
    if args.port_file:
        partial = args.port_file.with_name(args.port_file.name + ".part")
        partial.write_text(f"{port}\n")
        partial.replace(args.port_file)
    print(f"listening on http://127.0.0.1:{port}", flush=True)
    timer = threading.Timer(args.max_seconds, server.shutdown)
    timer.daemon = True
    timer.start()
    if args.until_eof:
        threading.Thread(target=lambda: (sys.stdin.read(), server.shutdown()), daemon=True).start()
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
    finally:
        server.server_close()


if __name__ == "__main__":
    main()
