import { describe, expect, it } from "vitest";
import { createOpenaiResponses } from "./index.ts";

const wire = createOpenaiResponses();
const hints = (headers: Readonly<Record<string, string>>) => wire.hintsOf((name) => headers[name] ?? null);

describe("requests of the Responses API", () => {
  it.each(["/v1/responses", "/responses", "/backend-api/codex/responses"])("go to %s", (path) => {
    expect(wire.route("POST", path)).toEqual({ kind: "generate", model: null });
  });

  it.each([
    ["GET", "/v1/responses"],
    ["POST", "/v1/responses/compact"],
    ["POST", "/v1/responses/input_tokens"],
    ["POST", "/v1/responses/resp_1/cancel"],
    ["POST", "/v1/chat/completions"],
    ["POST", "/v1/myresponses"],
  ])("are not those of %s %s", (method, path) => {
    expect(wire.route(method, path)).toBeNull();
  });
});

describe("who asks", () => {
  const nobody = { sessionId: null, agentId: null, parentAgentId: null, isSubscription: false };

  it.each([
    [{}, nobody],
    [
      { "session-id": "s", "thread-id": "t" },
      { ...nobody, sessionId: "s" },
    ],
    [
      { session_id: "s", conversation_id: "t" },
      { ...nobody, sessionId: "s" },
    ],
    [{ "x-session-id": "s" }, { ...nobody, sessionId: "s" }],
    [{ conversation_id: "t" }, { ...nobody, sessionId: "t" }],
    [
      { "session-id": "s", "thread-id": "s", "x-openai-subagent": "review" },
      { ...nobody, sessionId: "s", agentId: "review" },
    ],
    [
      { "session-id": "s", "thread-id": "t", "x-openai-subagent": "review" },
      { ...nobody, sessionId: "s", agentId: "review t" },
    ],
    [
      { "session-id": "", "chatgpt-account-id": "a" },
      { ...nobody, isSubscription: true },
    ],
    [{ "session-id": "s".repeat(600) }, nobody],
  ])("is told by %o", (headers, told) => {
    expect(hints(headers)).toEqual(told);
  });
});

describe("a refusal", () => {
  it("has the shape of the API's own, without a code that clients stop at", () => {
    const refusal = JSON.parse(Buffer.from(wire.errorBody("unavailable", "wörds")).toString());
    expect(refusal).toEqual({ error: { message: "wörds", type: "server_error", param: null, code: null } });
    const invalid = JSON.parse(Buffer.from(wire.errorBody("invalid", "x")).toString());
    expect(invalid.error.type).toBe("invalid_request_error");
  });
});
