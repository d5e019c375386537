import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../model/json.ts";
import { resolveCall } from "./intent.ts";
import { messagesTalk } from "./messages-talk.ts";

const RECALL = { do: "mcp", tool: "recall", input: { id: "x", range: "1" } } as const;

function offering(names: readonly string[], messages: readonly JsonObject[] = []) {
  const request = { tools: names.map((name) => ({ name, input_schema: { type: "object" } })), messages };
  return messagesTalk(request);
}

describe("an intent for a tool of Ebb's", () => {
  it.each([
    [["Read", "mcp__ebb__recall"], "mcp__ebb__recall"],
    [["read", "ebb_recall"], "ebb_recall"],
    [["recall"], "recall"],
  ])("becomes what a request with the tools %j offers", (names, name) => {
    expect(resolveCall(RECALL, offering(names), null)).toMatchObject({ name, input: RECALL.input, tool: { name } });
  });

  it("is nothing where the request offers none", () => {
    expect(resolveCall(RECALL, offering(["read", "ebb_hold"]), null)).toBeNull();
  });
});

describe("an address that is not known before", () => {
  const result = (text: string) => ({
    role: "user",
    content: [{ type: "tool_result", tool_use_id: "t", content: [{ type: "text", text }] }],
  });
  const request = offering(
    ["ebb_recall"],
    [
      result("[ebb 0123456789ab] Read a.ts: left"),
      result("[ebb 0123456789ab] Read a.ts\n\n1 text"),
      result("[ebb zzzzzzzzzzzz] Read b.ts: left"),
    ],
  );

  it("is that of the marker of this number, each counted once", () => {
    const input = { ids: ["$marker:1", "$marker:2"], deep: { id: "$marker:2" }, lines: 3 };
    expect(resolveCall({ name: "ebb_hold", input }, request, null)?.input).toEqual({
      ids: ["0123456789ab", "zzzzzzzzzzzz"],
      deep: { id: "zzzzzzzzzzzz" },
      lines: 3,
    });
    expect(resolveCall({ ...RECALL, input: { id: "$marker:1" } }, request, null)?.input).toEqual({
      id: "0123456789ab",
    });
  });

  it("stays as written where no such marker stands in the request", () => {
    const input = { id: "$marker:3", other: "$marker:0", text: "not $marker:1" };
    expect(resolveCall({ name: "ebb_recall", input }, request, null)?.input).toEqual(input);
  });
});
