import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { recordedSessions } from "../../../test/support/shared.ts";
import type { RecordedContext, RecordedMessage, Recording } from "../recording.ts";
import { readRecording } from "./recording-file.ts";

const folder = join(recordedSessions ?? "", "sessions");
const counter = { count: (text: string) => Math.ceil(text.length / 4) };

/** Folders of the recorded sessions, and the format and wire that their files are in. */
const EXPECTED: Readonly<Record<string, readonly [format: string, wire: string]>> = {
  cline: ["cline", "anthropic-messages"],
  codex: ["codex", "openai-responses"],
  copilot: ["copilot-cli", "anthropic-messages"],
  "gemini-cli": ["gemini-cli", "gemini"],
  "mini-swe-agent": ["mini-swe-agent", "openai-chat"],
  "openai-chat": ["openai-chat", "openai-chat"],
  "openai-responses": ["openai-responses", "openai-responses"],
  opencode: ["opencode", "anthropic-messages"],
  openhands: ["openhands", "openai-chat"],
  pi: ["pi", "anthropic-messages"],
  "swe-agent": ["swe-agent", "openai-chat"],
};

/** Holds the provider's counts alone, and no request. */
const REFUSED = "openai-chat/openhands-django-11087-usage.jsonl";

/** Calls that the manifest counts and no context holds as calls, and why. */
const OTHERWISE: Readonly<Record<string, readonly [calls: number, why: string]>> = {
  "copilot/vct-cli.jsonl": [11, "two results have no call in any answer"],
  "mini-swe-agent/github-issue.traj.json": [0, "its commands stand in the text"],
  "swe-agent/pydicom-1458.traj": [0, "its commands stand in the text"],
};

interface Read {
  readonly file: string;
  readonly recording: Recording;
}

function manifest(): Map<string, Readonly<Record<string, string>>> {
  const [head = "", ...lines] = readFileSync(join(folder, "MANIFEST.tsv"), "utf8").trimEnd().split("\n");
  const names = head.split("\t");
  const rows = lines.map((line) => Object.fromEntries(line.split("\t").map((cell, at) => [names[at] ?? "", cell])));
  return new Map(rows.map((row) => [row.file ?? "", row]));
}

function callsIn(context: RecordedContext): number {
  const text = Buffer.from(context.history("all")).toString();
  const calls: Readonly<Record<string, RegExp>> = {
    "anthropic-messages": /"type":"tool_use"/g,
    "openai-chat": /"arguments": ?"/g,
    "openai-responses": /"type": ?"(function|custom_tool|local_shell)_call"/g,
    gemini: /"functionCall":/g,
  };
  return text.match(calls[context.wire] ?? /^$/)?.length ?? 0;
}

/** Calls without a result, and results without a call, by id, in one request. */
function unpaired(messages: readonly RecordedMessage[]): readonly string[] {
  const open: string[] = [];
  const orphans: string[] = [];
  for (const { kind, callId } of messages.flatMap(({ blocks }) => blocks)) {
    if (callId === null) continue;
    if (kind === "call") open.push(callId);
    if (kind !== "result") continue;
    const at = open.indexOf(callId);
    if (at === -1) orphans.push(callId);
    else open.splice(at, 1);
  }
  return [...open, ...orphans];
}

describe.skipIf(recordedSessions === null)("recorded sessions of other agents", () => {
  const reads: Read[] = [];
  const refused: string[] = [];
  beforeAll(async () => {
    for (const name of Object.keys(EXPECTED)) {
      for (const file of readdirSync(join(folder, name)).map((one) => `${name}/${one}`)) {
        const outcome = await readRecording(join(folder, file), { counter });
        if (outcome.ok) reads.push({ file, recording: outcome.recording });
        else refused.push(file);
      }
    }
  });

  it("are read in their own format, by content, and only what holds no request is refused", () => {
    expect(refused).toEqual([REFUSED]);
    for (const { file, recording } of reads) {
      const [format, wire] = EXPECTED[file.split("/")[0] ?? ""] ?? [];
      expect([file, recording.format, ...new Set(recording.contexts.map((one) => one.wire))]).toEqual([
        file,
        format,
        wire,
      ]);
    }
  });

  it("become requests in which every call has its result, and bodies that are JSON", () => {
    for (const { file, recording } of reads) {
      const requests = recording.contexts.flatMap((context) => context.requests);
      expect([file, requests.length > 0]).toEqual([file, true]);
      for (const request of requests) {
        expect([file, unpaired(request.messages())]).toEqual([file, []]);
        expect(() => JSON.parse(Buffer.from(request.body).toString())).not.toThrow();
      }
    }
  });

  it("hold the calls that the manifest counts, and every difference has a reason", () => {
    const rows = manifest();
    for (const { file, recording } of reads.filter((one) => !one.file.startsWith("openai-"))) {
      const calls = recording.contexts.reduce((sum, context) => sum + callsIn(context), 0);
      const [expected] = OTHERWISE[file] ?? [Number(rows.get(file)?.tool_calls)];
      expect([file, calls]).toEqual([file, expected]);
    }
  });

  it("state times, models and usages where their logs do", () => {
    const told = (file: string, of: (context: RecordedContext) => number): number =>
      reads
        .filter((one) => one.file === file)
        .flatMap((one) => one.recording.contexts)
        .reduce((sum, one) => sum + of(one), 0);
    const usages = (context: RecordedContext): number => context.requests.filter(({ usage }) => usage !== null).length;
    const times = (context: RecordedContext): number => context.requests.filter(({ atMs }) => atMs !== null).length;
    expect(
      ["codex/gitsync-268.jsonl", "opencode/darkfactory-kind-meadow.json", "pi/large-session.jsonl"].map((file) => [
        told(file, usages),
        told(file, times),
      ]),
    ).toEqual([
      [190, 190],
      [65, 65],
      [453, 453],
    ]);
    expect(told("copilot/vct-cli.jsonl", usages)).toBe(0);
    expect(told("gemini-cli/vct.jsonl", usages)).toBe(6);
    expect(told("cline/session.messages.json", usages)).toBe(16);
  });

  it("are told in the order they were sent", () => {
    for (const { file, recording } of reads) {
      for (const { requests } of recording.contexts) {
        const times = requests.flatMap(({ atMs }) => atMs ?? []);
        expect([file, times]).toEqual([file, times.toSorted((a, b) => a - b)]);
      }
    }
  });
});
