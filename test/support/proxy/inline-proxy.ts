import { pino } from "pino";
import { createInlineAnswerer } from "../../../src/mcp/inline-call.ts";
import { inlineDefinitions } from "../../../src/mcp/inline-definitions.ts";
import type { Provider, Wire } from "../../../src/model/ports.ts";
import { type RunningProxy, startProxy } from "../../../src/proxy/server.ts";
import { createTestKeeper, type TestKeeperOptions } from "../keeper.ts";
import { TOKEN } from "./stage.ts";

/** What stands around a proxy that offers a tool inside the stream. */
interface InlineProxyOptions {
  readonly keeper: TestKeeperOptions;
  readonly wire: Wire;
  readonly provider: Provider;
  readonly upstream: string;
  readonly clock: () => number;
  readonly errors: string[];
  /** Happens before each call inside the stream is answered. */
  readonly beforeAnswer: (() => void) | undefined;
}

/** A proxy of one format, with a keeper that offers a tool inside the stream. */
export function startInlineProxy(options: InlineProxyOptions): Promise<RunningProxy> {
  const { wire, provider, upstream, clock, errors, beforeAnswer } = options;
  const inlineTools = { definitions: inlineDefinitions("recall"), onSubscription: false };
  const keeper = createTestKeeper({ ...options.keeper, provider, inlineTools });
  const desk = { keeper, tenant: "local", nowMs: clock };
  const answer = createInlineAnswerer(desk, (fault) => errors.push(String(fault)));
  return startProxy({
    host: "127.0.0.1",
    port: 0,
    upstream,
    keeper,
    answerTool(call, at) {
      beforeAnswer?.();
      return answer(call, at);
    },
    wires: [wire],
    providerOf: () => provider,
    tenant: "local",
    token: TOKEN,
    log: pino({ level: "silent" }),
    version: "1",
    nowMs: clock,
  });
}
