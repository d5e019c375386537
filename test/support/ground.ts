import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { KeeperStats } from "../../src/keeper/contract.ts";
import { anthropicProvider } from "../../src/providers/anthropic.ts";
import { geminiProvider } from "../../src/providers/gemini.ts";
import { openaiProvider } from "../../src/providers/openai.ts";
import type { CapturedRequest } from "../../src/replay/simulated/capture.ts";
import type { Scenario } from "../../src/replay/simulated/scenario.ts";
import { type SimulatedProvider, startSimulatedProvider } from "../../src/replay/simulated/server.ts";
import { startEbb } from "./ebb-server.ts";
import { startTapServer, type TappedRequest } from "./tap-server.ts";

/** Where a client works: its folders, the provider, and Ebb between them unless `config` is null. */
export interface GroundOptions {
  readonly scenario: Scenario;
  /** Text of the configuration file; null leaves Ebb out. */
  readonly config: string | null;
}

export interface Ground {
  readonly workingFolder: string;
  readonly home: string;
  readonly dataFolder: string;
  /** Where the client is pointed. */
  readonly url: string;
  readonly provider: SimulatedProvider;
  /** What the client sent to a model, in order. */
  sent(): readonly TappedRequest[];
  /** What the provider received for it, in order. */
  received(): readonly CapturedRequest[];
  /** Null without Ebb. */
  stats(): KeeperStats | null;
  /** Problems Ebb reported. */
  readonly errors: readonly string[];
  close(): Promise<void>;
}

const TO_A_MODEL = /\/(?:messages|chat\/completions|responses|models\/[^/?]+:(?:g|streamG)enerateContent)(\?|$)/;

/** Starts provider, Ebb and tap on one clock that a script can move; the client's requests pass the tap first. */
export async function openGround(options: GroundOptions): Promise<Ground> {
  const scratch = mkdtempSync(join(tmpdir(), "ebb-ground-"));
  const folders = {
    workingFolder: join(scratch, "ws"),
    home: join(scratch, "home"),
    dataFolder: join(scratch, "data"),
  };
  mkdirSync(folders.workingFolder);
  const provider = await startSimulatedProvider({
    models: anthropicProvider,
    otherModels: { openai: openaiProvider, gemini: geminiProvider },
    scenario: options.scenario,
  });
  const errors: string[] = [];
  const { config } = options;
  const ebb =
    config === null ? null : await startEbb({ config, scratch, provider, errors, dataFolder: folders.dataFolder });
  const tap = await startTapServer(ebb?.url ?? provider.url);
  return {
    ...folders,
    url: tap.url,
    provider,
    sent: () => tap.requests.filter((each) => each.method === "POST" && TO_A_MODEL.test(each.path)),
    received: () => provider.requests().filter((each) => each.method === "POST" && TO_A_MODEL.test(each.url)),
    stats: () => ebb?.stats() ?? null,
    errors,
    async close() {
      await tap.close();
      await ebb?.close();
      await provider.close();
      rmSync(scratch, { recursive: true, force: true });
    },
  };
}
