import fc from "fast-check";
import { expect, test } from "vitest";
import { type RecordedExchange, toRecordLine } from "./record-line.ts";
import { withoutSecrets } from "./record-secrets.ts";

const EXCHANGE: RecordedExchange = {
  atMs: 1_700_000_000_000,
  method: "POST",
  path: "/v1/messages",
  query: "",
  wire: "anthropic-messages",
  upstream: "anthropic",
  session: null,
  run: null,
  round: 1,
  headers: [],
  request: Buffer.from("{}"),
  sent: null,
  status: 200,
  responseHeaders: [],
  response: Buffer.from(""),
  isResponseCut: false,
  error: null,
  endedMs: 1_700_000_000_250,
};

const CREDENTIALS = [
  "authorization",
  "x-api-key",
  "x-goog-api-key",
  "api-key",
  "cookie",
  "proxy-authorization",
  "x-amz-security-token",
];

test("a header that is not allowed is never written, in whatever case and company", () => {
  const names = fc.constantFrom(...CREDENTIALS, ...CREDENTIALS.map((name) => name.toUpperCase()));
  const headers = fc.array(fc.tuple(names, fc.constantFrom("hush-1", "hush-2")), { maxLength: 8 });
  fc.assert(
    fc.property(headers, headers, (sent, received) => {
      const line = toRecordLine({
        ...EXCHANGE,
        headers: sent.flat(),
        responseHeaders: ["Set-Cookie", "hush-3", ...received.flat()],
      });
      expect(line).not.toContain("hush");
    }),
  );
  const line = toRecordLine({ ...EXCHANGE, headers: ["User-Agent", "agent/1", "X-Other", "hush"] });
  expect(JSON.parse(line).headers).toEqual({ "user-agent": "agent/1" });
});

test("of a query only what names the form of the answer is written", () => {
  const line = toRecordLine({ ...EXCHANGE, query: "alt=sse&key=hush&access_token=hush&beta=true" });
  expect(JSON.parse(line).query).toBe("alt=sse&beta=true");
});

test("a body that is no text is left out rather than changed", () => {
  expect(JSON.parse(toRecordLine({ ...EXCHANGE, request: Uint8Array.of(0x7b, 0xff, 0x7d) })).request).toBeNull();
});

test("credentials for servers of tools leave a body, and every other character stays", () => {
  const body = JSON.stringify({
    mcp_servers: [{ name: "a", authorization_token: 'hush "1"' }],
    tools: [{ type: "mcp", authorization: "hush-2", headers: { "X-Key": "hush-3" } }, { name: "api_key" }],
    messages: [{ role: "user", content: "my authorization is short" }],
  });
  const text = withoutSecrets(body);
  expect(text).not.toContain("hush");
  expect(JSON.parse(text).messages).toEqual(JSON.parse(body).messages);
  expect(JSON.parse(text).mcp_servers[0]).toEqual({ name: "a", authorization_token: "(redacted)" });
});

test("a body without servers of tools is the very same text, also where it is no JSON", () => {
  const body = '{ "tools": [ {"name":"x", "headers":{"a":"b"} } ] }';
  expect(withoutSecrets(body)).toBe(body);
  expect(withoutSecrets('{"mcp_servers":')).toBe('{"mcp_servers":');
});
