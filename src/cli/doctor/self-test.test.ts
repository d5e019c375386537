import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { providers } from "../../builtins.ts";
import { resolveFrom } from "../../config/resolve.ts";
import type { ResolvedConfig } from "../../config/resolved.ts";
import { startSimulatedProvider } from "../../replay/simulated/server.ts";
import { startServing } from "../serve-proxy.ts";
import { selfTestCheck } from "./checks/self-test.ts";
import { createPremises, thisMachine } from "./premises.ts";
import { compareBodies } from "./self-test/body-comparison.ts";
import { createTrialPlan, scenarioOf } from "./self-test/plan.ts";
import { converse, type Stage, tryRelease } from "./self-test/trial.ts";

const STALE = "the read before an edit";
const SUPERSEDED = "the read that was repeated";
const OVER_BOUND = "the result over the size bound";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ebb-trial-test-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function configWith(env: Readonly<Record<string, string>> = {}): ResolvedConfig {
  return resolveFrom(null, new Map(), { env, cwd: folder, home: folder, platform: "linux" });
}

describe("a release takes effect", () => {
  test.each<[Readonly<Record<string, string>>, readonly string[]]>([
    [{}, [STALE, SUPERSEDED, OVER_BOUND]],
    [{ EBB_PRESET: "tidy" }, [STALE, SUPERSEDED, OVER_BOUND]],
    [{ EBB_READLIFECYCLE_QUIET_STEPS: "0" }, [STALE, SUPERSEDED, OVER_BOUND]],
    [{ EBB_READLIFECYCLE_QUIET_STEPS: "8" }, [STALE, SUPERSEDED, OVER_BOUND]],
    [{ EBB_READLIFECYCLE_MARKER_MODE: "off", EBB_SIZEBOUND_MARKER_MODE: "summary" }, [STALE, SUPERSEDED, OVER_BOUND]],
    [{ EBB_READLIFECYCLE_MIN_TOKENS: "5000" }, [STALE, SUPERSEDED, OVER_BOUND]],
    [{ EBB_READLIFECYCLE_STALE: "false" }, [SUPERSEDED, OVER_BOUND]],
    [{ EBB_READLIFECYCLE_SUPERSEDED: "false", EBB_BOUND: "off" }, [STALE]],
    [{ EBB_PIPELINE: "sizebound" }, [OVER_BOUND]],
    [{ EBB_NEVER_STORE: "*.txt" }, [OVER_BOUND]],
    [{ EBB_SPARE_BREAKPOINT: "true", EBB_READLIFECYCLE_STALE_AT_DEPTH: "true" }, [STALE, SUPERSEDED, OVER_BOUND]],
    [{ EBB_MODE: "observe" }, []],
    [{ EBB_MODE: "off" }, []],
  ])("under %j", async (env, labels) => {
    const outcome = await tryRelease(configWith(env), folder);
    expect(outcome).toMatchObject({ kind: "worked" });
    expect(outcome.kind === "worked" && outcome.released.toSorted()).toEqual(labels.toSorted());
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe("what does not hold is found", () => {
  test("a result that stays because nothing more may be stored", async () => {
    const outcome = await tryRelease({ ...configWith(), diskBytesMax: 1 }, folder);
    expect(outcome).toMatchObject({ kind: "broken", words: expect.stringContaining("went out whole") });
  });

  /** Has the trial's conversation with a part of the stage exchanged. */
  async function converseWith(change: (stage: Stage) => Stage | Promise<Stage>): Promise<string | null> {
    const config = { ...configWith(), port: 0, dataFolder: join(folder, "data"), logLevel: "silent" as const };
    const plan = createTrialPlan(config);
    let clockMs = 1_800_000_000_000;
    const clock = (): number => clockMs;
    const provider = await startSimulatedProvider({ models: providers.anthropic, scenario: scenarioOf(plan), clock });
    const serving = await startServing({ ...config, upstream: provider.url }, () => {}, clock);
    const advance = (ms: number): void => {
      clockMs += ms;
    };
    const outcome = await converse(await change({ provider, serving, plan, advance }));
    await serving.close();
    await provider.close();
    return outcome.kind === "broken" ? outcome.words : null;
  }

  /** The provider as it would be had every body arrived changed from the n-th on. */
  function arrivingAs(stage: Stage, change: (body: string, index: number) => string): Stage {
    const requests = () =>
      stage.provider.requests().map((one, index) => ({ ...one, bodyRaw: change(one.bodyRaw, index) }));
    return { ...stage, provider: { requests } };
  }

  test("nothing on a stage as it is", async () => expect(await converseWith((stage) => stage)).toBe(null));

  test("a byte that changed outside the markers", async () => {
    const words = await converseWith((stage) => arrivingAs(stage, (body) => body.replace("Try out", "Try  out")));
    expect(words).toMatch(/^something else of a request changed/);
  });

  test("a marker whose text is another one later", async () => {
    const changed = (body: string, index: number): string => (index < 5 ? body : body.replace("] Read ", "] read "));
    expect(await converseWith((stage) => arrivingAs(stage, changed))).toBe(
      "a later request did not repeat a marker byte for byte",
    );
  });

  test("a recall that is refused, or brings something else", async () => {
    const refused = "a recall did not bring the exact bytes back";
    const withToken = (stage: Stage): Stage => ({ ...stage, serving: { ...stage.serving, token: "another" } });
    expect(await converseWith(withToken)).toBe(refused);
    const relays: Server[] = [];
    const words = await converseWith(async (stage) => {
      const relay = await relayTo(stage.serving.proxy.url);
      relays.push(relay);
      const address = relay.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      return { ...stage, serving: { ...stage.serving, proxy: { url: `http://127.0.0.1:${port}` } } };
    });
    for (const relay of relays) relay.close();
    expect(words).toBe(refused);
  });
});

/** Passes requests on; a recall gets an answer of its own. */
async function relayTo(url: string): Promise<Server> {
  const relay = createServer(async (request, response) => {
    if (request.url?.startsWith("/recall/") === true) return void response.end("something else");
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const answer = await fetch(url + request.url, { method: "POST", body: Buffer.concat(chunks) });
    response.writeHead(answer.status, { "content-type": "application/json", connection: "close" });
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
  return relay;
}

describe("two bodies are compared by their bytes", () => {
  const results = new Map([["toolu_1", "the text"]]);
  const bodyWith = (content: string): string =>
    JSON.stringify({
      messages: [{ role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content }] }],
    });
  const marker = "[ebb 4k7q0m2x9v1c] Read a: gone.";

  test("a marker in a result's place is found, with its address", () => {
    expect(compareBodies(bodyWith("the text"), bodyWith(marker), results)).toEqual({
      ok: true,
      markers: new Map([["toolu_1", { address: "4k7q0m2x9v1c", text: marker }]]),
    });
  });

  test.each([
    ["another text", bodyWith("another text")],
    ["a space", `${bodyWith("the text")} `],
    ["other escapes", bodyWith("the text").replace("the", "\\u0074he")],
  ])("whatever else differs is told of: %s", (_, arrived) => {
    expect(compareBodies(bodyWith("the text"), arrived, results)).toMatchObject({ ok: false });
  });
});

test("a trial that cannot be had is no failure of a release", async () => {
  const place = { env: {}, cwd: folder, home: folder, platform: "linux" } as const;
  const machine = { ...thisMachine(), temporaryFolder: join(folder, "gone") };
  const [finding] = await selfTestCheck.run(createPremises(place, () => configWith(), machine));
  expect(finding).toMatchObject({ state: "warn", words: "could not be tried: ENOENT" });
});
