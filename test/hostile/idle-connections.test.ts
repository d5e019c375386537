import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readAll } from "../support/proxy/fake-upstream.ts";
import { startSystem } from "./support/system.ts";
import { pagesBody } from "./support/talks.ts";

test("a connection that the provider closed while a request was being prepared is not used for it", async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), "ebb-hostile-"));
  const provider = createServer((request, response) => {
    void readAll(request).then(() => response.end("{}"));
  });
  let connections = 0;
  provider.on("connection", () => {
    connections += 1;
  });
  provider.listen(0, "127.0.0.1");
  await once(provider, "listening");
  const upstream = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  const system = await startSystem({ upstream, dataFolder });
  const { store } = system;
  const commit = store.commit.bind(store);
  Object.assign(store, {
    commit: (given: Parameters<typeof commit>[0]) => {
      const isBeforeSending = given.entries.some((entry) => entry.type === "request-sent");
      if (isBeforeSending) provider.closeIdleConnections();
      return commit(given);
    },
  });
  const names: string[] = [];
  for (let turn = 0; turn < 8; turn++) {
    names.push(`p${turn}`);
    expect((await system.post(pagesBody(...names))).status).toBe(200);
  }
  expect(connections).toBe(8);
  expect((await system.stats()).proxy.upstream_errors).toEqual({});
  await system.close();
  provider.close();
  rmSync(dataFolder, { recursive: true });
});
