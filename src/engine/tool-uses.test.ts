import { describe, expect, it } from "vitest";
import {
  assistant,
  bash,
  call,
  EMPTY_TALK,
  result,
  results,
  type Talk,
  user,
} from "../../test/support/conversation.ts";
import { viewOfTalk } from "../../test/support/view.ts";
import { toolUsesOf } from "./tool-uses.ts";

const start = bash(user(EMPTY_TALK, "go"), "b1", "make", "built");

async function shown(talk: Talk) {
  const uses = toolUsesOf((await viewOfTalk(talk)).transcript);
  return uses?.map((use) => `${use.call.callId} ${use.result?.callId ?? "-"} ${use.resultIndex}`) ?? null;
}

describe("tool uses", () => {
  it("are the calls in their order, each with its result, whatever order those come in", async () => {
    const asked = assistant(start, call("b2", "Bash", { command: "a" }), call("b3", "Bash", { command: "b" }));
    expect(await shown(results(asked, result("b3", "y"), result("b2", "x")))).toEqual([
      "b1 b1 2",
      "b2 b2 6",
      "b3 b3 5",
    ]);
  });

  it("have no result where two go by one call", async () => {
    const twice = results(assistant(start, call("b1", "Bash", { command: "again" })), result("b1", "x"));
    expect((await shown(twice))?.map((line) => line.split(" ")[1])).toEqual(["-", "-"]);
  });

  it("are not known where some are of another kind", async () => {
    const search = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "x" } };
    const found = { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] };
    expect(await shown(user(assistant(start, search, found), "next"))).toBeNull();
  });
});
