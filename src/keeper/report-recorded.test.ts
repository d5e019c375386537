import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { applyHunks, type EditCall, replayCalls } from "../../test/support/edit-replay.ts";
import { createTestKeeper, send } from "../../test/support/keeper.ts";
import { recordedSessions } from "../../test/support/shared.ts";
import type { Report, ReportedFile } from "../model/report.ts";
import { readRecording } from "../replay/readers/recording-file.ts";
import type { RecordedContext } from "../replay/recording.ts";
import { createTokenCounter } from "./token-counter.ts";

const folder = join(recordedSessions ?? "", "sessions", "claude-code");
const counter = createTokenCounter();
/** Every so many requests are sent, and the last one. */
const STRIDE = 12;

interface Block {
  readonly type: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: Readonly<Record<string, unknown>>;
  readonly tool_use_id?: string;
  readonly is_error?: boolean;
  readonly content?: string | readonly { readonly text?: string }[];
}

/** A call with the text of its result, read out of the bodies by a few lines of this test's own. */
interface Answered extends EditCall {
  readonly id: string;
  readonly answer: string;
  readonly isOk: boolean;
}

function answeredIn(bodies: readonly Uint8Array[]): readonly Answered[] {
  const answered = new Map<string, Answered>();
  for (const body of bodies) {
    const { messages }: { messages: { content: string | Block[] }[] } = JSON.parse(Buffer.from(body).toString());
    const blocks = messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
    const results = new Map(
      blocks.flatMap((block) => (block.tool_use_id === undefined ? [] : [[block.tool_use_id, block] as const])),
    );
    for (const { id = "", name = "", input = {} } of blocks.filter(({ type }) => type === "tool_use")) {
      const result = results.get(id);
      if (result === undefined || answered.has(id)) continue;
      const { content = "" } = result;
      const answer = typeof content === "string" ? content : content.map(({ text = "" }) => text).join("");
      const isOk =
        result.is_error !== true && !answer.startsWith("<tool_use_error>") && !/^The user doesn't want/.test(answer);
      answered.set(id, { id, tool: name, input, answer, isOk });
    }
  }
  return [...answered.values()];
}

/** The file before its first change and after its last, where its first whole read, or its creation, comes before every change. */
function replayed(
  path: string,
  calls: readonly Answered[],
): { readonly before: string; readonly after: string } | null {
  const own = calls.filter(({ input, isOk }) => isOk && input.file_path === path);
  const first = own.findIndex(({ tool }) => tool !== "Read");
  const changes = own.slice(first).filter(({ tool }) => tool !== "Read");
  const reads = own.slice(0, first).filter(({ tool, input }) => tool === "Read" && input.limit === undefined);
  const whole = reads.findLast(({ input }) => input.offset === undefined);
  const isCreated = changes[0]?.answer.startsWith("File created successfully") === true;
  const before = isCreated ? "" : whole === undefined ? null : unnumbered(whole.answer);
  const after = before === null ? null : replayCalls(before, changes);
  return before === null || after === null ? null : { before, after };
}

function unnumbered(answer: string): string | null {
  const rows = answer.split("\n\n<system-reminder>")[0]?.split("\n") ?? [];
  const lines = rows.map((row) => row.match(/^ *\d+[→\t](.*)$/s)?.[1]);
  const text = lines.every((line) => line !== undefined) ? lines.join("\n") : null;
  return text === null || lines.length >= 2_000 ? null : text.endsWith("\n") ? text : `${text}\n`;
}

function afterBy({ net }: ReportedFile, before: string): string | null {
  if (net.kind === "none") return before;
  if (net.kind === "unknown" || !net.isWhole || net.parts.some(({ hasLines }) => !hasLines)) return null;
  return applyHunks(
    before,
    net.parts.flatMap(({ hunks }) => hunks),
  );
}

async function reportOn(
  context: RecordedContext,
): Promise<{ readonly report: Report; readonly calls: readonly Answered[] }> {
  const requests = context.requests.filter((_, index, all) => index % STRIDE === 0 || index === all.length - 1);
  let keeper = createTestKeeper();
  const bodies: Uint8Array[] = [];
  for (const [index, request] of requests.entries()) {
    // Half way another process goes on.
    if (index === Math.ceil(requests.length / 2))
      keeper = createTestKeeper({ store: keeper.store, idPrefix: "second" });
    const { body } = request;
    bodies.push(body);
    await send(keeper, body, { atMs: 1_000_000 + index * 1_000 });
    await keeper.close();
  }
  const answer = await keeper.report(
    { scope: null },
    { tenant: "local", lineage: null, sessionId: null, by: "user", atMs: 9_000_000 },
  );
  if (!answer.ok) throw new Error(answer.words);
  return { report: answer.report, calls: answeredIn(bodies) };
}

interface Tally {
  readonly compared: string[];
  readonly wrong: string[];
  /** The report does not claim the whole difference. */
  readonly claimedLess: string[];
}

async function compare(context: RecordedContext, tally: Tally): Promise<void> {
  const { report, calls } = await reportOn(context);
  for (const file of report.files) {
    const expected = replayed(file.path, calls);
    if (expected === null) continue;
    const after = afterBy(file, expected.before);
    if (after === null) tally.claimedLess.push(file.path);
    else (after === expected.after ? tally.compared : tally.wrong).push(file.path);
  }
}

describe.skipIf(recordedSessions === null)("recorded sessions", () => {
  it("are reported as an independent replay of their edit calls gives it", { timeout: 120_000 }, async () => {
    const tally: Tally = { compared: [], wrong: [], claimedLess: [] };
    for (const name of readdirSync(folder).sort()) {
      const outcome = await readRecording(join(folder, name), { counter });
      const context = outcome.ok ? outcome.recording.contexts[0] : undefined;
      if (context !== undefined && context.requests.length > 0) await compare(context, tally);
    }
    expect(tally.wrong).toEqual([]);
    expect(tally.compared.length).toBeGreaterThan(40);
    // Commands wrote some of them too, which this test's replay does not look at; the client cleared the read of another.
    expect(tally.claimedLess.length).toBeLessThan(tally.compared.length / 5);
  });
});
