import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { LOCAL_TENANT } from "../../src/cli/open-keeper.ts";
import { assistant, bodyOf, call, EMPTY_TALK, numbered, result, results, user } from "../support/conversation.ts";
import { exchangeBytes, type Got, send } from "../support/proxy/client.ts";
import { type FakeUpstream, startUpstream } from "../support/proxy/fake-upstream.ts";
import { type System, startSystem } from "./support/system.ts";
import { page, pageResult, pagesBody } from "./support/talks.ts";

let dataFolder = "";
let upstream: FakeUpstream;
let system: System;

beforeEach(async () => {
  dataFolder = mkdtempSync(join(tmpdir(), "ebb-hostile-"));
  upstream = await startUpstream();
  system = await startSystem({ upstream: upstream.url, dataFolder });
});

afterEach(async () => {
  await system.close();
  await upstream.close();
  rmSync(dataFolder, { recursive: true });
});

/** Bytes of the token's user, asked in another way. */
function askWith(headers: readonly string[], path = "/stats"): Promise<Got> {
  return send(system.port, { path, headers });
}

describe("what only the user may see", () => {
  const bearer = () => ["Authorization", `Bearer ${system.token}`];
  const foreign: Readonly<Record<string, () => readonly string[]>> = {
    "without a token": () => [],
    "with an empty token": () => ["Authorization", "Bearer "],
    "with a shorter token": () => ["Authorization", `Bearer ${system.token.slice(0, -1)}`],
    "with a longer token": () => ["Authorization", `Bearer ${system.token}x`],
    "with a token in other case": () => ["Authorization", `Bearer ${system.token.toUpperCase()}`],
    "with two tokens": () => [...bearer(), ...bearer()],
    "with the token by another scheme": () => ["Authorization", `Basic ${system.token}`],
    "with the token as a cookie": () => ["Cookie", `token=${system.token}`],
    "with the token as a key": () => ["X-Api-Key", system.token],
    "by a rebound name": () => ["Host", `evil.example:${system.port}`, ...bearer()],
    "by a name that only begins like one": () => ["Host", "localhost.evil.example", ...bearer()],
    "by a name that only ends like one": () => ["Host", "evil.localhost", ...bearer()],
    "by an address that only looks local": () => ["Host", "127.0.0.1.evil.example", ...bearer()],
    "by a number for an address": () => ["Host", "2130706433", ...bearer()],
    "by the any-address": () => ["Host", "0.0.0.0", ...bearer()],
    "from a page": () => ["Origin", "http://evil.example", ...bearer()],
    "from a page without a name": () => ["Origin", "null", ...bearer()],
    "from a page of the same site": () => ["Sec-Fetch-Site", "same-site", ...bearer()],
    "from another site": () => ["Sec-Fetch-Site", "cross-site", ...bearer()],
    "through another proxy": () => ["X-Forwarded-For", "127.0.0.1", ...bearer()],
    "through a proxy that says so": () => ["Via", "1.1 somewhere", ...bearer()],
  };

  test.each(Object.keys(foreign))("is not there for one who asks %s", async (kind) => {
    await system.post(pagesBody("a"));
    for (const path of ["/stats", "/recall/a", "/recall/a?raw"]) {
      const got = await askWith(foreign[kind]?.() ?? [], path);
      expect([got.status, got.body.toString()]).toEqual([404, "not found\n"]);
    }
    expect(upstream.received).toHaveLength(1);
  });

  test("is there for the user, by every loopback name", async () => {
    for (const host of ["localhost", `localhost:${system.port}`, "127.0.0.1", `[::1]:${system.port}`]) {
      expect((await askWith(["Host", host, ...bearer()])).status).toBe(200);
    }
  });

  test.each(["POST", "PUT", "DELETE", "OPTIONS", "PATCH"])("is not changed nor opened by %s", async (method) => {
    const got = await send(system.port, { method, path: "/stats", headers: bearer() });
    expect([got.status, got.headers["access-control-allow-origin"]]).toEqual([405, undefined]);
    expect(upstream.received).toHaveLength(0);
  });

  test("is never asked of the provider, however the path is spelt", async () => {
    const targets = ["/stats", "/recall", "/recall/", "/recall/../stats", "/stats?x", "/recall/%2e%2e/%2e%2e/token"];
    for (const target of targets) {
      const answer = await exchangeBytes(
        system.port,
        `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
      );
      expect(answer).toMatch(/^HTTP\/1\.1 404 /);
    }
    expect(upstream.received).toHaveLength(0);
  });
});

describe("an id to recall that is none", () => {
  test.each([
    ["that climbs folders", "/recall/..%2f..%2f..%2fetc%2fpasswd", 404],
    ["that names the token", "/recall/token", 404],
    ["that names the store", "/recall/ebb.sqlite", 404],
    ["with a NUL", "/recall/a%00", 404],
    ["with SQL", `/recall/${encodeURIComponent("a' OR '1'='1")}`, 404],
    ["with a wildcard", "/recall/%25", 404],
    ["of 500 characters", `/recall/${"z".repeat(500)}`, 404],
    ["of 50,000 characters", `/recall/${"z".repeat(50_000)}`, 404],
    ["that does not decode", "/recall/%ff%fe%", 404],
    ["that is empty", "/recall/", 404],
    ["of a prototype", "/recall/__proto__", 404],
    ["with lone surrogates", "/recall/%ed%a0%80", 404],
  ])("%s finds nothing", async (_name, path, status) => {
    await system.post(pagesBody("a"));
    const got = await system.ask(path);
    expect(got.status).toBe(status);
    expect(got.body.toString().length).toBeLessThan(400);
    expect((await system.ask("/recall/a?raw")).body.toString()).toBe(pageResult("a"));
  });

  test.each([["4-2"], ["0-3"], ["-0"], ["1e9"], ["9".repeat(400)], ["1-2-3"], ["a"], ["1@"], ["NaN"], ["١-٢"]])(
    "or with the range %s is refused in words, never clamped",
    async (range) => {
      await system.post(pagesBody("a"));
      const got = await system.ask(`/recall/a?range=${encodeURIComponent(range)}`);
      expect([got.status, JSON.parse(got.body.toString()).failure]).toEqual([400, "bad range"]);
    },
  );
});

describe("what people typed and the keys they use", () => {
  const KEYS = ["needle-api-key", "needle-bearer", "needle-cookie", "needle-query", "needle-proxy"];
  const WORDS = ["needle-prompt", "needle-system", "needle-secret-line", "needle-thought", "needle-answer"];

  test("are in nothing that Ebb says: log, figures, refusals; and keys are in nothing that it keeps", async () => {
    const secretPage = `${page("s")}\nneedle-secret-line`;
    const talk = results(
      assistant(user(EMPTY_TALK, "needle-prompt"), call("c", "Read", { file_path: "/w/needle-path.txt" })),
      result("c", numbered(secretPage)),
    );
    const body = Buffer.from(Buffer.from(bodyOf(talk)).toString().replace("You are Claude Code", "needle-system"));
    const headers = [
      ...["X-Api-Key", "needle-api-key", "Authorization", "Bearer needle-bearer", "Cookie", "s=needle-cookie"],
      ...["Proxy-Authorization", "Basic needle-proxy", "Anthropic-Version", "2023-06-01"],
    ];
    const post = (path: string, sent: Buffer) => send(system.port, { method: "POST", path, headers, body: sent });
    const answers: Got[] = [];
    answers.push(await post("/v1/messages?beta=true&key=needle-query", body));
    expect(upstream.received[0]?.body.toString()).toContain("[ebb ");
    for (const odd of [
      '{"messages":[{"role":"needle-prompt"',
      "needle-prompt",
      '{"needle-prompt":1}',
      '{"messages":"needle-prompt"}',
    ]) {
      await post("/v1/messages", Buffer.from(odd));
    }
    await post("/needle-query/needle-prompt?key=needle-query", Buffer.from("needle-prompt"));
    const logBefore = system.logText();
    await system.close();
    system = await startSystem({ upstream: upstream.url, dataFolder });
    system.store.findChain = () => Promise.reject(new SyntaxError("Unexpected token in needle-prompt needle-answer"));
    answers.push(await post("/v1/messages", body));
    await upstream.close();
    answers.push(await post("/v1/messages", Buffer.from('{"messages":[]}')));
    answers.push(await post("/needle-query", body));
    expect(answers.map((answer) => answer.status)).toEqual([200, 503, 502, 502]);
    const stats = (await system.ask("/stats")).body.toString();
    const said = [logBefore, system.logText(), stats, ...answers.map((answer) => answer.body.toString())].join("\n");
    for (const needle of [...KEYS, ...WORDS, "needle-path"]) expect(said).not.toContain(needle);
    expect(said).not.toContain(`:${upstream.port}`);
    await system.keeper.close();
    const kept = readdirSync(dataFolder)
      .map((name) => readFileSync(join(dataFolder, name), "latin1"))
      .join("\n");
    for (const needle of KEYS) expect(kept).not.toContain(needle);
    for (const needle of ["needle-prompt", "needle-system"]) expect(kept).not.toContain(needle);
  });

  test("are recalled no more once they were purged", async () => {
    await system.post(pagesBody("a"), ["X-Claude-Code-Session-Id", "s"]);
    await system.keeper.purge(LOCAL_TENANT, { kind: "all" }, Date.now());
    await system.close();
    system = await startSystem({ upstream: upstream.url, dataFolder });
    expect((await system.ask("/recall/a")).status).toBe(410);
  });
});
