import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { pino } from "pino";
import { afterEach, expect, test } from "vitest";
import { send } from "../../test/support/proxy/client.ts";
import { createFakeKeeper } from "../../test/support/proxy/fake-keeper.ts";
import { startUpstream } from "../../test/support/proxy/fake-upstream.ts";
import { createFakeWire } from "../../test/support/proxy/fake-wire.ts";
import { anthropicProvider } from "../providers/anthropic.ts";
import { serveClaimed } from "./claimed.ts";
import { createCounts } from "./counts.ts";
import { createBodyBudget } from "./request-body.ts";
import { openUpstream } from "./upstream.ts";

const BYTES_MAX = 10_000;

let close: () => Promise<void> = async () => undefined;

afterEach(() => close());

/** A server that reads every request as a claimed one, with little memory for bodies. */
async function raise() {
  const fake = await startUpstream();
  const upstream = openUpstream(fake.url);
  const claim = { wire: createFakeWire(), route: { kind: "generate", model: null } } as const;
  const desk = {
    keeper: createFakeKeeper(),
    answerTool: null,
    recorder: null,
    providerOf: () => anthropicProvider,
    budget: createBodyBudget(BYTES_MAX),
    counts: createCounts(),
    log: pino({ level: "silent" }),
    tenant: "tenant",
    token: "",
    version: "1",
    nowMs: () => 0,
  };
  const server = createServer((request, response) => {
    void serveClaimed(
      desk,
      { id: "id", request, response, target: "/", path: "/", run: null, query: "", claim, upstream, atMs: 0 },
      claim,
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  close = async () => {
    server.close();
    server.closeAllConnections();
    await upstream.pool.destroy();
    await fake.close();
  };
  return { desk, received: fake.received, port: (server.address() as AddressInfo).port };
}

test.each([
  ["as it came", [], Buffer.alloc(BYTES_MAX + 1)],
  ["once it is decoded", ["Content-Encoding", "gzip"], gzipSync(Buffer.alloc(BYTES_MAX))],
])("a body that takes more memory than is left is refused for now, %s", async (_when, headers, body) => {
  const { desk, received, port } = await raise();
  const got = await send(port, { method: "POST", headers, body });
  expect(got.status).toBe(503);
  expect(JSON.parse(got.body.toString()).error.message).toContain("too many bytes");
  expect(desk.counts.stats(0).refused).toEqual({ busy: 1 });
  expect(received).toHaveLength(0);
});

test("memory is given back after each exchange", async () => {
  const { received, port } = await raise();
  const body = Buffer.alloc(BYTES_MAX - 1);
  for (let turn = 0; turn < 3; turn += 1) expect((await send(port, { method: "POST", body })).status).toBe(200);
  expect(received).toHaveLength(3);
});
