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

test("credentials for servers of tools leave a body, however they are written, and every other character stays", () => {
  const body = JSON.stringify({
    mcp_servers: [{ name: "a", authorization_token: 'hush "1"', url: "https://h/x?token=hush-0" }],
    tools: [
      { type: "mcp", authorization: "hush/2", headers: { "X-Key": ["hush-3"] }, server_url: "https://h/x" },
      { name: "api_key", parameters: { properties: { headers: { type: "object" } } } },
      { mcpServers: [{ streamableHttpTransport: { headers: { Authorization: "hush-4" } } }] },
      { type: "namespace", tools: [{ type: "mcp", authorization: "hush-5" }] },
    ],
    input: [
      { role: "user", content: "a" },
      { type: "additional_tools", tools: [{ authorization: "hush-6" }] },
    ],
    api_key: "hush-7",
    extra_headers: { Authorization: "hush-8" },
    messages: [{ role: "user", content: "my authorization is short", headers: { a: "b" } }],
  });
  for (const written of [
    body,
    body.replaceAll("/", "\\/").replaceAll("hush", "h\\u0075sh"),
    `${body.slice(0, -1)},"tools":[]}`,
  ]) {
    const { text, secrets } = withoutSecrets(written);
    expect(text).not.toMatch(/h(?:\\u0075|u)sh/);
    expect(secrets).toHaveLength(9);
    const read = JSON.parse(text);
    expect(read.messages).toEqual(JSON.parse(body).messages);
    expect(read.mcp_servers[0]).toEqual({ name: "a", authorization_token: "(redacted)", url: "(redacted)" });
  }
});

test("a body without credentials is the very same text, also where it is no JSON or deeper than any", () => {
  const deep = `{"a":${"[".repeat(50_000)}${"]".repeat(50_000)}}`;
  const schema = '{ "tools": [ {"name":"x", "parameters":{"headers":{"type":"object"}} } ] }';
  for (const body of [schema, '{"mcp_servers":', deep, "7", ' "authorization"']) {
    expect(withoutSecrets(body)).toEqual({ text: body, secrets: [] });
  }
});

test("credentials of a request leave the response that repeats them", () => {
  const request = Buffer.from(JSON.stringify({ tools: [{ type: "mcp", authorization: 'hush "of" mine' }] }));
  const line = toRecordLine({ ...EXCHANGE, request, response: request });
  expect(line).not.toContain("hush");
});
