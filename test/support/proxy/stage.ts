import { PassThrough } from "node:stream";
import { pino } from "pino";
import type { Provider, Wire } from "../../../src/model/ports.ts";
import { anthropicProvider } from "../../../src/providers/anthropic.ts";
import type { AnswerTool, Destination } from "../../../src/proxy/exchange.ts";
import { type RunningProxy, startProxy } from "../../../src/proxy/server.ts";
import type { UpstreamSettings } from "../../../src/proxy/upstreams.ts";
import { createFakeKeeper, type FakeKeeper } from "./fake-keeper.ts";
import type { FakeUpstream } from "./fake-upstream.ts";
import { createFakeWire } from "./fake-wire.ts";

export const TOKEN = "a-token-that-only-the-user-can-read";

export interface Stage {
  readonly proxy: RunningProxy;
  readonly port: number;
  readonly keeper: FakeKeeper;
  /** Everything the proxy logged. */
  logText(): string;
  close(): Promise<void>;
}

export interface StageParts {
  readonly keeper?: FakeKeeper;
  readonly wire?: Wire;
  /** Address to use in place of the upstream's own. */
  readonly url?: string;
  readonly token?: string;
  /** Where requests go beside, or instead of, the one upstream. */
  readonly routing?: Partial<UpstreamSettings>;
  readonly providerOf?: (to: Destination) => Provider;
  readonly answerTool?: AnswerTool;
}

/** A running proxy in front of `upstream`. Closing it closes the upstream too. */
export async function createStage(upstream: FakeUpstream, parts: StageParts = {}): Promise<Stage> {
  const keeper = parts.keeper ?? createFakeKeeper();
  const lines: Buffer[] = [];
  const logged = new PassThrough().on("data", (line: Buffer) => lines.push(line));
  const proxy = await startProxy({
    host: "127.0.0.1",
    port: 0,
    upstream: parts.url ?? upstream.url,
    keeper,
    wires: [parts.wire ?? createFakeWire()],
    providerOf: parts.providerOf ?? (() => anthropicProvider),
    ...parts.routing,
    tenant: "tenant",
    token: parts.token ?? TOKEN,
    ...(parts.answerTool === undefined ? {} : { answerTool: parts.answerTool }),
    log: pino(logged),
    version: "9.9.9",
    nowMs: () => 1_700_000_000_000,
  });
  return {
    proxy,
    port: proxy.port,
    keeper,
    logText: () => Buffer.concat(lines).toString("utf8"),
    async close() {
      await proxy.close(0);
      await upstream.close();
    },
  };
}
