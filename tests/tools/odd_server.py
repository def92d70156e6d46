"""An outside MCP server that keeps to the protocol and to little else, over stdio."""

import json
import sys

NUMBERS = {"anyOf": [{"type": "integer"}, {"type": "array", "items": {"$ref": "#/$defs/numbers"}}]}
SCHEMAS = {
    "dangling": {"type": "object", "properties": {"x": {"$ref": "#/$defs/nowhere"}}},
    "nested": {
        "type": "object",
        "properties": {"x": {"$ref": "#/$defs/numbers"}},
        "$defs": {"numbers": NUMBERS},
    },
    "not_a_number": {"type": "object"},
}
ANSWERS = {
    "initialize": {
        "protocolVersion": "2025-06-18",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "odd", "version": "1"},
    },
    "tools/list": {
        "tools": [{"name": name, "inputSchema": schema} for name, schema in SCHEMAS.items()]
    },
    "tools/call": {"content": [], "structuredContent": {"x": float("nan")}},
}

for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked:
        answer = {"jsonrpc": "2.0", "id": asked["id"]}
        if asked["method"] in ANSWERS:
            answer["result"] = ANSWERS[asked["method"]]
        else:
            answer["error"] = {"code": -32601, "message": "unknown"}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
