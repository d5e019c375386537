import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Block, call, numbered, result, text } from "../../../test/support/conversation.ts";
import type { SessionFigures } from "../../replay/replay-report.ts";
import type { Io } from "../io.ts";
import { main } from "../main.ts";

const folder = mkdtempSync(join(tmpdir(), "ebb-replay-"));
const MINUTE = 60_000;
/** More than a thousand tokens, each time the same. */
const FILE = numbered(
  Array.from({ length: 120 }, (_, line) => `const value${line} = compute(${line}, "some text");`).join("\n"),
);

beforeAll(() => {
  writeFileSync(join(folder, "ebb.yaml"), "pays: false\nlifetimes:\n  - { kinds: [read], turns: 0 }\n");
  writeFileSync(join(folder, "session.jsonl"), recording());
});
afterAll(() => rmSync(folder, { recursive: true }));

test("a replay tells what left and expired, when, and which of it was missed", async () => {
  const { out } = await run("replay", "session.jsonl", "--json");
  const { sessions, totals }: { sessions: SessionFigures[]; totals: SessionFigures } = JSON.parse(out);
  const [figures] = sessions;
  const aged = { kind: "read", is_media: false, tokens: expect.any(Number), turns: 2, steps: 2 };
  expect(figures?.left).toEqual([{ request: 4, policy: "lifetimes", reason: "expired", moment: "cold", ...aged }]);
  expect(figures?.expired).toEqual([{ request: 3, left: 4, ...aged, turns: 1, steps: 1 }]);
  expect(figures?.regret).toEqual({ strict: 1, use: 0, induced: 1 });
  expect(totals).toMatchObject({
    regret: { strict: 1, use: 0, induced: 1 },
    regretted: [{ policy: "lifetimes", strict: 1, use: 0, induced: 1 }],
  });
  expect(totals).not.toHaveProperty("left");
});

test("for a person it groups digits by three and says what the cost is compared with", async () => {
  const { out } = await run("replay", "session.jsonl");
  expect(out).toMatch(/ {2}[0-9a-z]{12} {2}\d,\d{3} tokens {2}expired \(cold\) {2}Read /);
  expect(out).toContain(
    "  regrets           1 strict, 0 use, 1 induced\n    lifetimes       1 strict, 0 use, 1 induced\n",
  );
  expect(out).toMatch(/ {2}net cost {10}\d\.\d{4} USD (less|more) than without Ebb\n/);
});

/** A read, another turn while the cache is warm, one on a cold cache, and the same read again. */
function recording(): string {
  const lines: string[] = [];
  let atMs = Date.UTC(2026, 0, 1);
  const say = (role: "user" | "assistant", content: string | readonly Block[], waitMs = 1_000) => {
    atMs += waitMs;
    const number = lines.length + 1;
    const message =
      role === "user"
        ? { role, content }
        : { id: `msg_${number}`, type: "message", role, model: "claude-sonnet-4-5-20250929", content, usage: USAGE };
    const parentUuid = number === 1 ? null : `u${number - 1}`;
    const common = {
      parentUuid,
      isSidechain: false,
      cwd: "/w",
      sessionId: "s",
      version: "2.0.75",
      type: role,
      message,
    };
    lines.push(JSON.stringify({ ...common, uuid: `u${number}`, timestamp: new Date(atMs).toISOString() }));
  };
  say("user", "look at a.ts");
  say("assistant", [call("r1", "Read", { file_path: "/w/a.ts" })]);
  say("user", [result("r1", FILE)]);
  say("assistant", [text("done")]);
  say("user", "thanks");
  say("assistant", [text("fine")]);
  say("user", "once more", 90 * MINUTE);
  say("assistant", [call("r2", "Read", { file_path: "/w/a.ts" })]);
  say("user", [result("r2", FILE)]);
  say("assistant", [text("done")]);
  return `${lines.join("\n")}\n`;
}

const USAGE = { input_tokens: 1, cache_read_input_tokens: 0, cache_creation_input_tokens: 0, output_tokens: 1 };

async function run(...argv: readonly string[]): Promise<{ readonly code: number; readonly out: string }> {
  let out = "";
  const io: Io = {
    out: (chunk) => {
      out += String(chunk);
    },
    err: () => undefined,
    place: { env: {}, cwd: folder, home: folder, platform: "linux" },
    isInteractive: false,
    progress: process.stderr,
    ask: async () => "",
    untilStopped: async () => undefined,
  };
  return { code: await main(argv, io), out };
}
