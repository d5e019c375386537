import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { REQUEST_BYTES_MAX } from "../../src/proxy/limits.ts";
import { send } from "../support/proxy/client.ts";
import { type FakeUpstream, startUpstream } from "../support/proxy/fake-upstream.ts";
import { callOf, deepArray, deepObject, latin, request, resultOf, turns } from "./support/bodies.ts";
import { recallsExactly } from "./support/recall.ts";
import { CLIENT_HEADERS, type System, startSystem } from "./support/system.ts";

let dataFolder = "";
let upstream: FakeUpstream;
let system: System;

beforeAll(async () => {
  dataFolder = mkdtempSync(join(tmpdir(), "ebb-hostile-"));
  upstream = await startUpstream();
  system = await startSystem({ upstream: upstream.url, dataFolder, config: "" });
});

afterAll(async () => {
  await system.close();
  await upstream.close();
  rmSync(dataFolder, { recursive: true });
});

/** The provider gets the very bytes, and Ebb found nothing wrong with itself. */
async function expectUnchanged(body: Buffer): Promise<void> {
  expect((await system.post(body)).status).toBe(200);
  expect(upstream.received.pop()?.body.equals(body)).toBe(true);
  const stats = await system.stats();
  expect(stats).toMatchObject({
    errors: [],
    law_violations: 0,
    fallbacks: { script_only: 0, original: 0, refused: 0 },
  });
}

async function unreadCount(): Promise<number> {
  return Object.values((await system.stats()).unread).reduce((total, count) => total + count, 0);
}

const DEPTH = 100_000;
const HI = '{"role":"user","content":"hi"}';

describe("a body that no wire reads goes out as it came, and is counted with its reason", () => {
  const bodies: Readonly<Record<string, Buffer>> = {
    empty: latin(""),
    "white space": latin(" \n\t "),
    "a JSON string": latin('"just a string"'),
    "a number": latin("1e400"),
    null: latin("null"),
    "an array": latin("[]"),
    "a NUL": latin("\0"),
    "half a body": latin('{"model":"m","messages":[{"role":"user","content":"hi"'),
    "two bodies": latin("{}{}"),
    "a trailing comma": latin('{"messages":[],}'),
    "a byte order mark": Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), request(`[${HI}]`)]),
    "UTF-16": Buffer.from('{"messages":[]}', "utf16le"),
    "random bytes": Buffer.from(Array.from({ length: 5_000 }, (_, index) => (index * index * 31) & 0xff)),
    "a raw NUL in a string": latin('{"messages":[{"role":"user","content":"a\0b"}]}'),
    "a raw line break in a string": latin('{"messages":[{"role":"user","content":"a\nb"}]}'),
    "no messages": latin('{"model":"m"}'),
    "messages that are a number": request("3"),
    "messages that are null": request("null"),
    "messages that are an object": request('{"0":{"role":"user"}}'),
    "nesting of 100,000 as the body": latin(deepArray(DEPTH)),
    "nesting of 100,000 that never closes": latin("[".repeat(DEPTH)),
  };
  test.each(Object.entries(bodies))("%s", async (_name, body) => {
    const before = await unreadCount();
    await expectUnchanged(body);
    expect(await unreadCount()).toBe(before + 1);
  });
});

describe("a body of odd but valid JSON goes out as it came", () => {
  const odd = (block: string) =>
    request(`[${HI},${callOf("c", '{"file_path":"/w/a"}')},{"role":"user","content":[${block}]}]`);
  const bodies: Readonly<Record<string, Buffer>> = {
    "no messages at all": request("[]"),
    "messages of numbers": request("[1,2,3]"),
    "messages of arrays": request(`[[${HI}]]`),
    "a null message": request(`[${HI},null]`),
    "a role that is a number": request('[{"role":1,"content":"hi"}]'),
    "an unheard-of role": request('[{"role":"developer","content":"hi"}]'),
    "no role": request('[{"content":"hi"}]'),
    "null content": request('[{"role":"user","content":null}]'),
    "number content": request('[{"role":"user","content":7}]'),
    "object content": request('[{"role":"user","content":{"type":"text","text":"a"}}]'),
    "nesting of 100,000 as the messages": request(deepArray(DEPTH)),
    "empty content lists": request('[{"role":"user","content":[]},{"role":"assistant","content":[]}]'),
    "blocks that are numbers": request('[{"role":"user","content":[1,null,true,"s",[[]]]}]'),
    "a result without a call id": odd('{"type":"tool_result","content":"x"}'),
    "a result whose call id is a number": odd('{"type":"tool_result","tool_use_id":7,"content":"x"}'),
    "a result whose call id is null": odd('{"type":"tool_result","tool_use_id":null,"content":"x"}'),
    "a result of an unknown call": odd('{"type":"tool_result","tool_use_id":"zz","content":"x"}'),
    "a result that is null": odd('{"type":"tool_result","tool_use_id":"c","content":null}'),
    "a result that is a number": odd('{"type":"tool_result","tool_use_id":"c","content":12}'),
    "a result of nested lists": odd(
      '{"type":"tool_result","tool_use_id":"c","content":[[[{"type":"text","text":"x"}]]]}',
    ),
    "a result of texts that are numbers": odd(
      '{"type":"tool_result","tool_use_id":"c","content":[{"type":"text","text":5}]}',
    ),
    "a text without a text": odd('{"type":"text"}'),
    "an image of nothing": odd('{"type":"image","source":null}'),
    "an image that is no base64": odd(
      '{"type":"image","source":{"type":"base64","media_type":"image/png","data":"%%%"}}',
    ),
    "a thinking block of a number": odd('{"type":"thinking","thinking":1,"signature":2}'),
    "a call without an input": request(
      `[${HI},{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"Read"}]}]`,
    ),
    "a call whose input is a string": request(`[${HI},${callOf("c", '"/w/a"')}]`),
    "a call whose path is a number": request(
      `[${HI},${callOf("c", '{"file_path":1,"offset":"x","limit":-1e999}')},${resultOf("c", "x")}]`,
    ),
    "a call named like a prototype": request(
      `[${HI},{"role":"assistant","content":[{"type":"tool_use","id":"__proto__","name":"constructor","input":{"__proto__":1}}]},${resultOf("__proto__", "x")}]`,
    ),
    "tools that are a number": request(`[${HI}]`, '"tools":5,'),
    "a system prompt that is a number": request(`[${HI}]`, '"system":5,'),
    "a model that is an object": latin(`{"model":{},"messages":[${HI}]}`),
    "metadata of the wrong type": request(`[${HI}]`, '"metadata":[{"user_id":1}],'),
    "a session id that is an object": request(`[${HI}]`, '"metadata":{"user_id":"{\\"session_id\\":{}}"},'),
    "duplicate keys everywhere": latin(
      `{"model":"a","model":"b","messages":[],"messages":[{"role":"user","role":"user","content":"x","content":[{"type":"text","type":"text","text":"a","text":"b"}]}]}`,
    ),
    "exotic numbers": request(`[${HI}]`, '"temperature":1.0,"a":-0,"b":1e400,"c":12345678901234567890123,"d":1E+2,'),
    "lone surrogates": request('[{"role":"user","content":"\\ud800 \\udc00 \\udc00\\ud800"}]'),
    "escapes of every kind": request('[{"role":"user","content":"\\u0000\\u0041\\/\\b\\f\\n\\r\\t\\\\\\""}]'),
    "invalid UTF-8": request('[{"role":"user","content":"\xff\xfe\xc0\x80\xed\xa0\x80 \xf8"}]'),
    "invalid UTF-8 in a key": request(`[${HI}]`, '"\xff\xff":1,'),
    "special tokens of models": request('[{"role":"user","content":"<|endoftext|><|im_start|>"}]'),
    ...Object.fromEntries(
      (["x", "metadata", "tools", "system", "thinking", "tool_choice"] as const).map((name) => [
        `nesting of 100,000 in ${name}`,
        request(`[${HI}]`, `"${name}":${name === "tools" ? deepArray(DEPTH) : deepObject(DEPTH)},`),
      ]),
    ),
    "nesting of 100,000 in content": request(`[{"role":"user","content":${deepArray(DEPTH)}}]`),
    "nesting of 100,000 in an unknown block": request(
      `[{"role":"user","content":[{"type":"new","a":${deepObject(DEPTH)}}]}]`,
    ),
    "nesting of 100,000 in a call": request(`[${HI},${callOf("c", deepObject(DEPTH))},${resultOf("c", "x")}]`),
    "nesting of 100,000 in a path": request(
      `[${HI},${callOf("c", `{"file_path":${deepArray(DEPTH)}}`)},${resultOf("c", "x")}]`,
    ),
    "nesting of 100,000 in a result": odd(`{"type":"tool_result","tool_use_id":"c","content":${deepArray(DEPTH)}}`),
    "nesting of 100,000 in a session name": request(
      `[${HI}]`,
      `"metadata":{"user_id":${JSON.stringify(deepObject(DEPTH))}},`,
    ),
    "a shell command of 100,000 substitutions": request(
      `[${HI},{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"Bash","input":{"command":"${"$(".repeat(DEPTH)}"}}]},${resultOf("c", "x")}]`,
    ),
    "a path of a million steps": request(
      `[${HI},${callOf("c", `{"file_path":"/${"a/../".repeat(1_000_000)}b"}`)},${resultOf("c", "     1\\u2192x")}]`,
    ),
    "a million keys": request(`[${HI}]`, Array.from({ length: 1_000_000 }, (_, index) => `"k${index}":1,`).join("")),
    "10,000 messages": request(turns(10_000)),
    "a million reminders": request(
      `[{"role":"user","content":[{"type":"text","text":"${"<system-reminder>".repeat(1_000_000)}"}]}]`,
    ),
    "one string of 30 MB": request(`[{"role":"user","content":"${"x".repeat(30_000_000)}"}]`),
    "exactly 32 MB": request(`[{"role":"user","content":"${"x".repeat(32 * 1024 * 1024 - 91)}"}]`),
  };
  test.each(Object.entries(bodies))("%s", (_name, body) => expectUnchanged(body));

  test("50,000 results in one message", () => {
    const ids = Array.from({ length: 50_000 }, (_, index) => `t${index}`);
    const calls = ids.map((id) => `{"type":"tool_use","id":"${id}","name":"Read","input":{"file_path":"/w/${id}"}}`);
    const results = ids.map((id) => `{"type":"tool_result","tool_use_id":"${id}","content":"     1\\u2192${id}"}`);
    return expectUnchanged(
      request(`[${HI},{"role":"assistant","content":[${calls}]},{"role":"user","content":[${results}]}]`),
    );
  });

  test("20,000 steps that read one file", () => {
    const steps = Array.from({ length: 20_000 }, (_, index) => [
      callOf(`t${index}`, '{"file_path":"/w/a"}'),
      resultOf(`t${index}`, `     1\\u2192${index}`),
    ]);
    return expectUnchanged(request(`[${[HI, ...steps.flat()]}]`));
  });
});

describe("a result beyond any measure", () => {
  test.each([
    ["30 MB in one line", "x".repeat(30_000_000)],
    ["ten million lines", "x\\n".repeat(10_000_000)],
    ["five million lone surrogates", "\\ud83d".repeat(5_000_000)],
    ["four million NULs", "\\u0000".repeat(4_000_000)],
  ])("%s leaves behind a marker, and comes back byte for byte", async (name, content) => {
    const id = `huge-${name.replaceAll(" ", "-")}`;
    const body = request(`[${HI},${callOf(id, '{"file_path":"/w/big"}')},${resultOf(id, content)}]`);
    expect((await system.post(body)).status).toBe(200);
    const sent = upstream.received.pop()?.body ?? Buffer.alloc(0);
    expect(sent.length).toBeLessThan(5_000);
    expect(sent.toString()).toContain("[ebb ");
    expect(await recallsExactly(system, id, content)).toBe(true);
    expect((await system.stats()).law_violations).toBe(0);
  });
});

describe("a body beyond the limit of what is held in memory", () => {
  const body = request(`[{"role":"user","content":"${"x".repeat(REQUEST_BYTES_MAX + 1)}"}]`);
  const deflated = gzipSync(body);

  test("is streamed through as it came, and counted with its reason", async () => {
    expect((await system.post(body)).status).toBe(200);
    expect(upstream.received.pop()?.body.equals(body)).toBe(true);
    expect((await system.stats()).proxy.unedited["body over the limit"]).toBe(1);
  });

  test("also when it is only so large once it is decoded", async () => {
    expect((await system.post(deflated, ["Content-Encoding", "gzip"])).status).toBe(200);
    expect(upstream.received.pop()?.body.equals(deflated)).toBe(true);
    expect((await system.stats()).proxy.unedited["decoded body over the limit"]).toBe(1);
  });

  test.each([
    ["no gzip", "gzip", latin("this is no gzip")],
    ["a coding nobody knows", "snappy", latin("{}")],
    ["a gzip that ends too soon", "gzip", deflated.subarray(0, 1_000)],
  ])("and %s is passed on as it is", async (_name, coding, bytes) => {
    const got = await send(system.port, {
      method: "POST",
      path: "/v1/messages",
      headers: [...CLIENT_HEADERS, "Content-Encoding", coding],
      body: bytes,
    });
    expect(got.status).toBe(200);
    expect(upstream.received.pop()?.body.equals(bytes)).toBe(true);
    expect(Object.keys((await system.stats()).proxy.unedited)).toContain(
      coding === "gzip" ? "content coding did not decode" : "content coding unknown",
    );
  });
});
