import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ClientName, type ClientResult, ensureClient } from "../../support/clients.ts";
import { buildEbb, ebb } from "../../support/ebb-command.ts";
import { type Ground, openGround } from "../../support/ground.ts";
import { type CacheUse, cacheUse, conversation, markersIn, sentResult, thinkingIn } from "./evidence.ts";
import { doWork, LAST_WORDS, MAIN_TEXT, oneThoughtfulTurn, STEPS_BEFORE_GAP, twoTurns } from "./work.ts";

/** Does not bind thinking to what stands before it. */
const FREE_MODEL = "claude-sonnet-4-6";
/** Signs thinking over everything before it. */
const BINDING_MODEL = "claude-opus-5-5";
/** What a batch on a warm cache would bring is none of what is shown here: the gap is. */
const LOW_BOUND = "pays: false\nbound: { lines: 300, bytes: 262144 }\n";
const SEED_ON_COLD = `${LOW_BOUND}pipeline: [readlifecycle]
components:
  readlifecycle: { min_tokens: 100, stale: true, superseded: true, cold_cache: true, marker_mode: full }
`;
const STALE = /^\[ebb [0-9a-z]{12}\] \S+ \S*main\.ts\b.*was modified later in this conversation/s;
const OVER_BOUND = /^\[ebb [0-9a-z]{12}\] .*over the size bound/s;

/**
 * The current Claude Code is large and runs only when asked for, with `EBB_TEST_CURRENT_CLIENT=1`.
 * Claude Code calls an edited file changed when it resumes: a fresh use of the path, which the preset waits out.
 */
const CLIENTS = [
  { name: "pi", config: LOW_BOUND },
  { name: "claude-2.0.75", config: SEED_ON_COLD },
  ...(process.env.EBB_TEST_CURRENT_CLIENT === "1" ? [{ name: "claude-current" as const, config: SEED_ON_COLD }] : []),
] as const;

interface Played {
  readonly ground: Ground;
  readonly ends: readonly ClientResult[];
}

async function playTwoTurns(name: ClientName, config: string | null): Promise<Played> {
  const ground = await openGround({ scenario: twoTurns, config });
  const tasks = ["Do the first part.", "Now the second part."];
  return { ground, ends: await doWork(name, ground, tasks, { model: FREE_MODEL, withThinking: false }) };
}

async function playThoughtful(name: ClientName, config: string): Promise<Played> {
  const ground = await openGround({ scenario: oneThoughtfulTurn, config });
  return { ground, ends: await doWork(name, ground, ["Do it all."], { model: BINDING_MODEL, withThinking: true }) };
}

function expectGoodEnd({ ground, ends }: Played): void {
  expect(ends.map(({ exitCode, stderr }) => ({ exitCode, stderr }))).toEqual(
    ends.map(() => ({ exitCode: 0, stderr: "" })),
  );
  expect(ends.at(-1)?.stdout).toContain(LAST_WORDS);
  expect(ground.received().filter((request) => request.status !== 200)).toEqual([]);
  expect(ground.errors).toEqual([]);
}

describe.each(CLIENTS)("$name through Ebb", ({ name, config }) => {
  let direct: Played;
  let enforced: Played;

  beforeAll(async () => {
    await ensureClient(name);
    direct = await playTwoTurns(name, null);
    enforced = await playTwoTurns(name, config);
  });

  afterAll(async () => {
    await direct?.ground.close();
    await enforced?.ground.close();
  });

  test("ends well, with a stale read and an over-bound result behind markers", () => {
    expectGoodEnd(direct);
    expectGoodEnd(enforced);
    const requests = conversation(enforced.ground, FREE_MODEL);
    const beforeGap = requests.slice(0, STEPS_BEFORE_GAP);
    expect(beforeGap.flatMap(({ bodyRaw }) => markersIn(bodyRaw))).toEqual([]);
    const texts = requests.slice(STEPS_BEFORE_GAP).map(({ bodyRaw }) => markersIn(bodyRaw).map(({ text }) => text));
    for (const markers of texts) expect(markers.filter((text) => STALE.test(text))).toHaveLength(1);
    for (const markers of texts.slice(1)) expect(markers.filter((text) => OVER_BOUND.test(text))).toHaveLength(1);
  });

  test("reads the cache before the gap exactly as without Ebb, its own tool apart, and everything written after it", () => {
    const without = cacheUse(conversation(direct.ground, FREE_MODEL));
    const requests = conversation(enforced.ground, FREE_MODEL);
    const within = cacheUse(requests);
    const ofTool = tokensOfTool(requests.at(0)?.bodyRaw ?? "");
    expect(within.slice(0, STEPS_BEFORE_GAP)).toEqual(behindTool(without.slice(0, STEPS_BEFORE_GAP), ofTool));
    expect(within).toHaveLength(without.length);
    const warm = requests.slice(STEPS_BEFORE_GAP + 1);
    expect(warm.length).toBeGreaterThan(1);
    warm.forEach((request, index) => {
      const before = requests[STEPS_BEFORE_GAP + index]?.usage;
      const held = (before?.cacheReadTokens ?? 0) + (before?.cacheWrite5mTokens ?? 0);
      expect(request.usage?.cacheReadTokens).toBe(held);
    });
  });

  test("gives back through `ebb recall` what stood behind each marker, byte for byte", async () => {
    await buildEbb();
    const { ground } = enforced;
    const last = conversation(ground, FREE_MODEL).at(-1);
    const markers = markersIn(last?.bodyRaw ?? "");
    expect(markers.length).toBeGreaterThanOrEqual(2);
    for (const { address, callId } of markers) {
      const original = sentResult(ground, callId);
      const recalled = await ebb(ground.home, ["recall", address, "--raw", "--data-folder", ground.dataFolder]);
      expect(recalled.toString("utf8")).toBe(original);
    }
    const main = markers.find(({ text }) => STALE.test(text));
    const recalled = await ebb(ground.home, [
      "recall",
      main?.address ?? "",
      "--raw",
      "--data-folder",
      ground.dataFolder,
    ]);
    expect(withoutNumbers(recalled.toString("utf8")).startsWith(MAIN_TEXT.trimEnd())).toBe(true);
  });

  test("forwards in observe mode the very bytes the client sent", async () => {
    const observed = await playTwoTurns(name, `mode: observe\n${config}`);
    try {
      expectGoodEnd(observed);
      // The client warms up two models at once: which of the two arrives first is chance.
      const received = observed.ground.received().map(({ bodyRaw }) => bodyRaw);
      expect(received.sort()).toEqual(
        observed.ground
          .sent()
          .map(({ body }) => body.toString("utf8"))
          .sort(),
      );
      expect(observed.ground.stats()?.would_release.length).toBeGreaterThan(0);
    } finally {
      await observed.ground.close();
    }
  });

  test("never breaks a signature on a model that signs its thinking over what stands before", async () => {
    const bound = await playThoughtful(name, config);
    try {
      expectGoodEnd(bound);
      const last = conversation(bound.ground, BINDING_MODEL).at(-1)?.bodyRaw ?? "";
      expect(thinkingIn(last)).toBeGreaterThan(0);
      expect(markersIn(last).map(({ text }) => OVER_BOUND.test(text))).toEqual([true]);
      expect(bound.ground.stats()?.declined.map(({ reason }) => reason)).toContain("bound_thinking");
    } finally {
      await bound.ground.close();
    }
  });
});

function withoutNumbers(text: string): string {
  return text.replace(/^ *\d+[→\t]/gm, "");
}

/** Tokens of the tool that Ebb adds behind those of the client, as the provider counts them. */
function tokensOfTool(body: string): number {
  const { tools }: { tools: readonly { readonly name: string }[] } = JSON.parse(body);
  const own = tools.at(-1);
  expect(own?.name).toBe("ebb_recall");
  return Math.ceil(JSON.stringify(own).length / 4);
}

/** The same use of the cache with so many tokens more at its head: written once, and read ever after. */
function behindTool(uses: readonly CacheUse[], tokens: number): readonly CacheUse[] {
  return uses.map(({ read, written }, index) =>
    index === 0 ? { read, written: (written ?? 0) + tokens } : { read: (read ?? 0) + tokens, written },
  );
}
