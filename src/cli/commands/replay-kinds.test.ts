import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { call, numbered, result, text } from "../../../test/support/conversation.ts";
import { createSessionLog } from "../../../test/support/session-log.ts";
import type { ColdFigures } from "../../replay/cold-at.ts";
import type { ReanchorFigures } from "../../replay/reanchor.ts";
import type { Io } from "../io.ts";
import { main } from "../main.ts";

const folder = mkdtempSync(join(tmpdir(), "ebb-kinds-"));
const fixtures = resolve(import.meta.dirname, "../../../test/fixtures/sessions");
const MODEL = "claude-sonnet-4-5-20250929";
/** More than a thousand tokens each. */
const textOf = (name: string) =>
  numbered(Array.from({ length: 120 }, (_, line) => `const ${name}${line} = compute(${line}, "text");`).join("\n"));

beforeAll(() => {
  writeFileSync(join(folder, "ebb.yaml"), "pays: false\ncomponents: { readlifecycle: { quiet_steps: 0 } }\n");
  writeFileSync(join(folder, "edits.jsonl"), edits(MODEL));
  writeFileSync(join(folder, "unpriced.jsonl"), edits("someone-else"));
  writeFileSync(join(folder, "stale-read.jsonl"), readFileSync(join(fixtures, "stale-read.jsonl")));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Two files are read; the first is edited at once, the second after three more answers. */
function edits(model: string): string {
  const log = createSessionLog(model);
  log.say("user", "look at a.ts and b.ts");
  log.say("assistant", [call("r1", "Read", { file_path: "/w/a.ts" })]);
  log.say("user", [result("r1", textOf("a"))]);
  log.say("assistant", [call("e1", "Edit", { file_path: "/w/a.ts", old_string: "1", new_string: "2" })]);
  log.say("user", [result("e1", "The file /w/a.ts has been updated.")]);
  log.say("assistant", [call("r2", "Read", { file_path: "/w/b.ts" })]);
  log.say("user", [result("r2", textOf("b"))]);
  for (const word of ["one", "two"]) {
    log.say("assistant", [text(word)]);
    log.say("user", "go on");
  }
  log.say("assistant", [call("e2", "Edit", { file_path: "/w/b.ts", old_string: "1", new_string: "2" })]);
  log.say("user", [result("e2", "The file /w/b.ts has been updated.")]);
  log.say("assistant", [text("done")]);
  return log.text();
}

describe("replay --reanchor", () => {
  test("shows for a session what stale reads cost once and save, each by itself and as one batch", async () => {
    const { code, out } = await run("replay", "edits.jsonl", "unpriced.jsonl", "stale-read.jsonl", "--reanchor");
    expect(code).toBe(0);
    await expect(out).toMatchFileSnapshot("../../../test/golden/replay-reanchor.txt");
  });

  test("counts distances in messages, and pays back after what is written again divided by what is saved", async () => {
    const [figures, unpriced] = await reanchored("edits.jsonl", "unpriced.jsonl");
    expect(figures).toMatchObject({ requests: 7, turns: 3, stale_transitions: 2, distance_mean: 3, distance_max: 5 });
    for (const cost of figures === undefined ? [] : [figures, figures.batch]) {
      const usd = ((3.75 - 0.3) * cost.reanchored_tokens) / 1e6;
      const savedUsd = (0.3 * cost.saved_tokens_per_request) / 1e6;
      expect(cost.reanchor_cost_usd).toBeCloseTo(usd, 12);
      expect(cost.saved_usd_per_request).toBeCloseTo(savedUsd, 12);
      expect(cost.break_even_requests).toBeCloseTo(usd / savedUsd, 9);
    }
    expect(unpriced).toMatchObject({
      reanchored_tokens: figures?.reanchored_tokens,
      reanchor_cost_usd: null,
      saved_usd_per_request: null,
      break_even_requests: null,
    });
  });

  test("writes less again one by one, where little stood behind a read when it became stale", async () => {
    const [figures] = await reanchored("edits.jsonl");
    expect(figures?.batch.saved_tokens_per_request).toBe(figures?.saved_tokens_per_request);
    expect(figures?.reanchored_tokens).toBeLessThan(figures?.batch.reanchored_tokens ?? 0);
  });
});

describe("replay --cold-at", () => {
  test("takes one request of each file as cold: what waits leaves, at write and at read price", async () => {
    const [{ before, after, ...figures }] = await cold("edits.jsonl", "7");
    expect(figures).toEqual({ file: "edits.jsonl", request: 7, released: 2 });
    expect(after.tokens).toBeLessThan(before.tokens - 2_000);
    for (const { tokens, write_usd: write, read_usd: read } of [before, after]) {
      expect([write, read]).toEqual([
        expect.closeTo((3.75 * tokens) / 1e6, 12),
        expect.closeTo((0.3 * tokens) / 1e6, 12),
      ]);
    }
    const [warm] = JSON.parse((await run("replay", "edits.jsonl", "--json")).out).sessions;
    expect(warm.left).toEqual([]);
  });

  test("sends the requests before it at their own times", async () => {
    const [first] = await cold("edits.jsonl", "4");
    expect(first.released).toBe(1);
    const [none] = await cold("edits.jsonl", "1");
    expect(none).toMatchObject({ released: 0, before: none.after });
  });

  test("adds nothing up over files, and says why", async () => {
    const { out } = await run("replay", "edits.jsonl", "unpriced.jsonl", "--cold-at", "7");
    expect(out).toMatch(/^edits\.jsonl: request 7 on a cold cache, 2 items released\n/);
    expect(out).toContain("\n  at write price    unknown → unknown\n");
    expect(out).toMatch(/\nnot added up: [^\n]+\n$/);
    const json = await run("replay", "edits.jsonl", "unpriced.jsonl", "--cold-at", "7", "--json");
    expect(Object.keys(JSON.parse(json.out))).toEqual(["sessions"]);
    expect((await run("replay", "edits.jsonl", "--cold-at", "7")).out).not.toContain("not added up");
  });

  test.each([
    [["edits.jsonl", "--cold-at", "8"], "edits.jsonl has 7 requests, expected one of them, got 8"],
    [["edits.jsonl", "--cold-at", "0"], '--cold-at: expected the number of a request, from 1, got "0"'],
    [["edits.jsonl", "--cold-at", "1", "--reanchor"], "expected one of --reanchor and --cold-at, got both"],
  ])("is refused: %j", async (argv, words) => {
    const { code, out, err } = await run("replay", ...argv);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(words);
  });
});

async function reanchored(...files: readonly string[]): Promise<readonly ReanchorFigures[]> {
  return JSON.parse((await run("replay", ...files, "--reanchor", "--json")).out).sessions;
}

async function cold(file: string, number: string): Promise<readonly [ColdFigures]> {
  return JSON.parse((await run("replay", file, "--cold-at", number, "--json")).out).sessions;
}

async function run(...argv: readonly string[]) {
  const said = { out: "", err: "" };
  const io: Io = {
    out: (chunk) => {
      said.out += String(chunk);
    },
    err: (words) => {
      said.err += words;
    },
    place: { env: {}, cwd: folder, home: folder, platform: "linux" },
    isInteractive: false,
    progress: process.stderr,
    ask: async () => "",
    untilStopped: async () => undefined,
  };
  return { code: await main(argv, io), ...said };
}
