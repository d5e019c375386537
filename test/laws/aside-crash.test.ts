import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inlineDefinitions } from "../../src/mcp/inline-definitions.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { refusePairing } from "../../src/replay/simulated/pairing.ts";
import { openSqliteStore } from "../../src/stores/sqlite.ts";
import { type Block, bodyOf } from "../support/conversation.ts";
import { textOf } from "../support/inline/keeper-client.ts";
import { createTestKeeper, prepare } from "../support/keeper.ts";
import { prefixOf } from "../support/proxy/inline-talk.ts";
import { SIGNING_MODEL, takeSigned } from "../support/signing-provider.ts";
import { type BuiltSource, buildSource } from "./child/built-source.ts";
import type { DyingRecallTask, ToldRequest, ToldRound } from "./child/dying-recall.ts";
import { outputOfKilled } from "./child/killed-child.ts";
import { RUNS } from "./property.ts";

const TIMEOUT_MS = 300_000;
const CHILDREN = 2;
const NEVER = 0;
/** Of the steps one in so many: all of them where the laws are tried on thousands of sessions. */
const STRIDE = RUNS < 10_000 ? 8 : 1;
const LATER_MS = 3_600_000;

let source: BuiltSource;
let folder = "";

beforeAll(() => {
  source = buildSource();
  folder = mkdtempSync(join(tmpdir(), "ebb-asides-"));
});

afterAll(() => {
  source.remove();
  rmSync(folder, { recursive: true });
});

test("a process killed at any step of a recall leaves requests that fit and repeat what the provider knows", {
  timeout: TIMEOUT_MS,
}, async () => {
  const whole = await runUntil(NEVER);
  const steps = Number(whole.output);
  expect(steps).toBeGreaterThan(60);
  expect(whole.told.map(({ isFirst }) => isFirst)).toEqual([true, false, true, false, false, true, true]);
  const points = Array.from({ length: steps }, (_, index) => index + 1).filter((at) => at % STRIDE === 0);
  const worker = async (): Promise<void> => {
    for (let at = points.shift(); at !== undefined; at = points.shift()) {
      const { database, told } = await runUntil(at);
      expect(await faultsBehind(database, told, whole.told), `killed at step ${at} of ${steps}`).toEqual([]);
    }
  };
  await Promise.all(Array.from({ length: CHILDREN }, worker));
});

test("is seen where what was answered is not on record", { timeout: TIMEOUT_MS }, async () => {
  const whole = await runUntil(NEVER, true);
  const { database, told } = await runUntil(Number(whole.output) - 1, true);
  const faults = await faultsBehind(database, told, whole.told);
  expect(faults).toContainEqual(expect.stringMatching(/^asked again: .*signature/));
  expect(faults).toContainEqual("asked again: another prefix");
});

/** What is wrong with the requests of a client that asks again, and of one that keeps what it saw of the message. */
async function faultsBehind(
  database: string,
  told: readonly ToldRequest[],
  whole: readonly ToldRequest[],
): Promise<readonly string[]> {
  const last = told.at(-1);
  if (last === undefined) return [];
  const store = openSqliteStore({ file: database });
  const keeper = createTestKeeper({
    store,
    idPrefix: "next",
    inlineTools: { definitions: inlineDefinitions("recall"), onSubscription: false },
  });
  const faults: string[] = [];
  const judge = async (name: string, received: Uint8Array, known: string): Promise<void> => {
    const prepared = await prepare(keeper, received, { atMs: LATER_MS, sessionId: "s0" });
    if (prepared.kind === "refuse") return void faults.push(`${name}: ${prepared.words}`);
    const sent: JsonObject = JSON.parse(textOf(prepared));
    const taken = takeSigned(sent, sent, prepared.headers);
    const unpaired = Array.isArray(sent.messages) ? refusePairing(sent.messages as JsonObject[]) : null;
    if (!taken.ok) faults.push(`${name}: ${taken.words}`);
    if (signaturesIn(textOf(prepared)) !== signaturesIn(Buffer.from(received).toString())) {
      faults.push(`${name}: other thinking`);
    }
    if (unpaired !== null) faults.push(`${name}: ${unpaired.words}`);
    if (!prefixOf(textOf(prepared)).startsWith(prefixOf(known))) faults.push(`${name}: another prefix`);
  };
  const asked = told.findLast(({ isFirst }) => isFirst) ?? last;
  const { received } = asked;
  await judge("asked again", Buffer.from(received), asked.sent);
  for (const rounds of roundsSeen(last, whole[told.length])) {
    const seen = rounds.flatMap(({ blocks, own }) => blocks.filter(({ id }) => !own.includes(String(id))));
    if (seen.length > 0) await judge(`${rounds.length} rounds kept`, bodyBehind(asked, seen), last.sent);
  }
  faults.push(...keeper.errors);
  await keeper.close();
  await store.close();
  return faults;
}

function signaturesIn(body: string): string {
  return Array.from(body.matchAll(/"signature":"[^"]*"/g), ([one]) => one).join();
}

/** What the client may have seen of the message that was asked for last: up to the last body, or the answer to it as well. */
function roundsSeen(last: ToldRequest, next: ToldRequest | undefined): readonly (readonly ToldRound[])[] {
  const before = last.isFirst ? [] : (last.messages.at(-1)?.rounds ?? []);
  const after = next?.messages.findLast(({ role }) => role === "assistant")?.rounds ?? [];
  return before.length > 0 ? [before, after] : [after];
}

/** The client goes on: results of its own calls, or words. */
function bodyBehind({ received }: ToldRequest, seen: readonly Block[]): Uint8Array {
  const { messages }: { messages: { role: string; content: Block[] }[] } = JSON.parse(received);
  const plain = messages.map(({ role, content }) => ({
    role,
    content: content.map(({ cache_control, ...rest }) => rest),
  }));
  const used = seen.filter(({ type }) => type === "tool_use");
  const results = used.map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: "late output" }));
  const content = results.length > 0 ? results : [{ type: "text", text: "go on" }];
  const talk = { messages: [...plain, { role: "assistant", content: seen }, { role: "user", content }] };
  return bodyOf(talk, { model: SIGNING_MODEL, thinking: { type: "enabled", budget_tokens: 2_000 } });
}

interface Run {
  readonly database: string;
  readonly told: readonly ToldRequest[];
  readonly output: string;
}

async function runUntil(killAt: number, isForgetful = false): Promise<Run> {
  const place = join(folder, `${isForgetful ? "forgetful" : "step"}-${killAt}`);
  mkdirSync(place);
  const task: DyingRecallTask = { database: join(place, "ebb.sqlite"), told: join(place, "told"), killAt, isForgetful };
  const output = await outputOfKilled(source.fileOf("test/laws/child/dying-recall"), task, killAt !== NEVER);
  const lines = existsSync(task.told) ? readFileSync(task.told, "utf8").split("\n").filter(Boolean) : [];
  return { database: task.database, told: lines.map((line): ToldRequest => JSON.parse(line)), output };
}
