import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Io } from "../io.ts";
import { main } from "../main.ts";

const folder = mkdtempSync(join(tmpdir(), "ebb-clear-"));
const OUTPUT = "a line of output that a command printed, of which there are many\n".repeat(60);

beforeAll(() => {
  writeFileSync(join(folder, "session.jsonl"), sessionLines(30).join(""));
  writeFileSync(join(folder, "held.yaml"), "preset: tidy\n");
  writeFileSync(join(folder, "cleared.yaml"), "preset: tidy\nserver_clear: true\n");
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A session in which the model thinks and runs a command at every step; the person is away before the last six. */
function sessionLines(steps: number): readonly string[] {
  const lines: string[] = [];
  let atMs = Date.UTC(2026, 9, 10);
  const push = (type: "user" | "assistant", message: object) => {
    atMs += 2_000;
    const uuid = `line-${lines.length}`;
    const parentUuid = lines.length === 0 ? null : `line-${lines.length - 1}`;
    const common = { isSidechain: false, userType: "external", cwd: "/project", sessionId: "s", version: "2.0.75" };
    const timestamp = new Date(atMs).toISOString();
    lines.push(`${JSON.stringify({ parentUuid, ...common, type, message, uuid, timestamp })}\n`);
  };
  push("user", { role: "user", content: "Build it." });
  for (let step = 0; step < steps; step++) {
    if (step === steps - 6) atMs += 20 * 60_000;
    const common = { id: `msg_${step}`, type: "message", role: "assistant", model: "claude-opus-5-5" };
    const usage = { input_tokens: 10, cache_read_input_tokens: 0, cache_creation_input_tokens: 900, output_tokens: 40 };
    const thinking = { type: "thinking", thinking: `thought ${step}`, signature: "c2lnbmF0dXJl" };
    const call = { type: "tool_use", id: `toolu_${step}`, name: "Bash", input: { command: `make part${step}` } };
    push("assistant", { ...common, content: [thinking, call], stop_reason: "tool_use", usage });
    push("user", { role: "user", content: [{ type: "tool_result", tool_use_id: `toolu_${step}`, content: OUTPUT }] });
  }
  return lines;
}

interface Figures {
  readonly released_by: Readonly<Record<string, number>>;
  readonly law_violations: number;
  readonly net_cost_usd: number;
  readonly cache_read_tokens: number;
  readonly left: readonly { readonly request: number; readonly moment: string }[];
}

test("prices the provider's own clearing like any other moment, on a model that signs its thinking", async () => {
  const { comparisons }: { comparisons: { totals: Figures; sessions: Figures[] }[] } = JSON.parse(
    await run("replay", "session.jsonl", "--compare", "held.yaml,cleared.yaml", "--json"),
  );
  const [held, cleared] = comparisons.map(({ totals }) => totals);
  expect(held).toMatchObject({ released_by: {}, net_cost_usd: 0, law_violations: 0 });
  expect(cleared).toMatchObject({ law_violations: 0 });
  expect(Object.keys(cleared?.released_by ?? {})).toEqual(["expired server-clear"]);
  expect(cleared?.net_cost_usd).toBeLessThan(0);
  expect(cleared?.cache_read_tokens).toBeLessThan(held?.cache_read_tokens ?? 0);
});

test("says in the lines of a replay what the provider cleared", async () => {
  expect(await run("replay", "session.jsonl", "--config", "cleared.yaml")).toContain(
    "expired (server-clear)  Bash make part0",
  );
});

async function run(...argv: readonly string[]): Promise<string> {
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
  expect(await main(argv, io)).toBe(0);
  return out;
}
