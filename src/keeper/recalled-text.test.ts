import { describe, expect, it } from "vitest";
import {
  assistant,
  type BodyOptions,
  bash,
  bodyOf,
  CLAUDE_TOOLS,
  call,
  EMPTY_TALK,
  idle,
  result,
  results,
  type Talk,
  text,
  user,
} from "../../test/support/conversation.ts";
import { createTestKeeper, prepare, resultIn, type SendOptions, send } from "../../test/support/keeper.ts";
import type { View } from "../model/view.ts";
import type { Keeper } from "./contract.ts";

const asked = user(EMPTY_TALK, "look");
const LONG = Array.from({ length: 60 }, (_, line) => `line ${line} of the output of a command`).join("\n");
const HOUR = 3_600_000;
const EXPIRE_AT_ONCE = [
  { tools: ["Bash", "mcp__ebb__recall"], kinds: null, fitsPath: null, media: null, turns: null, steps: 0 },
];
const MCP = "mcp__ebb__recall";

/** A conversation whose first output left by a wish, and what recalling it answers. */
async function released(options: BodyOptions = {}) {
  const keeper = createTestKeeper({ lifetimeRules: EXPIRE_AT_ONCE });
  const first = bash(asked, "b1", "make", LONG);
  await send(keeper, bodyOf(first, options), { atMs: 0 });
  const talk = user(assistant(first, text("done")), "what was line 7?");
  const sent = await send(keeper, bodyOf(talk, options), { atMs: HOUR });
  const address = /^\[ebb (\w{12})\]/.exec(String(resultIn(sent, "b1")))?.[1] ?? "";
  const answer = await ask(keeper, address);
  return { keeper, talk, address, answer };
}

async function ask(keeper: Keeper, id: string): Promise<string> {
  const query = {
    tenant: "local",
    range: null,
    pattern: null,
    ignoreCase: false,
    chars: null,
    sessionId: null,
  } as const;
  const answer = await keeper.recall({ ...query, id, by: "agent", atMs: HOUR });
  if (!answer.ok) throw new Error(answer.words);
  return answer.text;
}

async function reasonsFor(keeper: Keeper, talk: Talk, callId: string, options: BodyOptions & SendOptions) {
  const prepared = await prepare(keeper, bodyOf(talk, options), options);
  const declines = prepared.kind === "forward" ? (prepared.plan?.declines ?? []) : [];
  return declines
    .filter(({ itemKey }) => itemKey?.startsWith(`result:${callId}:`) === true)
    .map(({ reason, words }) => `${reason}: ${words}`);
}

function turns(talk: Talk, count: number): Talk {
  let next = talk;
  for (let turn = 0; turn < count; turn++) next = user(assistant(next, text(`answer ${turn}`)), `question ${turn}`);
  return next;
}

/** Sends each turn in its time, and the last one on a cold cache: what came back. */
async function sendTurns(keeper: Keeper, talk: Talk, count: number, options: BodyOptions = {}): Promise<string> {
  let sent = "";
  for (let turn = 1; turn <= count; turn++) {
    sent = await send(keeper, bodyOf(turns(talk, turn), options), { atMs: turn < count ? HOUR : 3 * HOUR });
  }
  return sent;
}

describe("recalled text", () => {
  it("stays for 5 turns whatever policy proposes it, then it is ordinary", async () => {
    const { keeper, talk, address, answer } = await released();
    const recalled = bash(talk, "b2", `ebb recall ${address}`, answer);
    expect(await send(keeper, bodyOf(recalled), { atMs: HOUR })).toContain("line 7 of the output");
    const exempt = ["kept_verbatim_after_expand: recalled text stays through turn 7"];
    for (let turn = 1; turn <= 5; turn++) {
      expect(await reasonsFor(keeper, turns(recalled, turn), "b2", { atMs: HOUR })).toEqual(exempt);
    }
    expect(await reasonsFor(keeper, turns(recalled, 6), "b2", { atMs: HOUR })).toEqual([
      "cached_prefix: already sent, and the provider's cache may still hold it",
    ]);
  });

  it("stays for 20 steps where a sub-agent has one turn only", async () => {
    const keeper = createTestKeeper({ lifetimeRules: EXPIRE_AT_ONCE });
    const agent = { agentId: "sub", atMs: 0 };
    const first = bash(asked, "b1", "make", LONG);
    await send(keeper, bodyOf(first), agent);
    const recalled = bash(first, "b2", "ebb recall b1", await ask(keeper, "b1"));
    await send(keeper, bodyOf(recalled), agent);
    const later = { agentId: "sub", atMs: 3 * HOUR };
    expect(await reasonsFor(keeper, idle(recalled, "i", 20), "b2", later)).toEqual([
      "kept_verbatim_after_expand: recalled text stays through step 22",
    ]);
    expect(await reasonsFor(keeper, idle(recalled, "i", 21), "b2", later)).toEqual([
      expect.stringMatching(/^cached_prefix/),
    ]);
  });

  it("is let go by a decision on purpose at any time", async () => {
    const { keeper, talk, address, answer } = await released();
    const recalled = bash(talk, "b2", `ebb recall ${address}`, answer);
    await send(keeper, bodyOf(recalled), { atMs: HOUR });
    const targets = { ids: ["b2"], paths: [], latest: null };
    const context = { tenant: "local", lineage: null, sessionId: "session", by: "agent", atMs: HOUR } as const;
    await keeper.decide({ verb: "release", targets, reason: "noted" }, context);
    const sent = await send(keeper, bodyOf(turns(recalled, 1)), { atMs: HOUR });
    expect(String(resultIn(sent, "b2"))).toMatch(/^\[ebb \w{12}\] Bash ebb recall/);
  });

  it("leaves the release it came from as it is", async () => {
    const { keeper, talk, address, answer } = await released();
    const before = resultIn(await send(keeper, bodyOf(talk), { atMs: HOUR }), "b1");
    const sent = await send(keeper, bodyOf(bash(talk, "b2", `ebb recall ${address}`, answer)), { atMs: HOUR });
    expect(resultIn(sent, "b1")).toBe(before);
  });

  it.each([
    ["by address", (address: string) => `ebb recall ${address} --range 1-9`],
    ["by the id of its call", () => 'npx ebb recall "b1"'],
    ["by a script of its own", (address: string) => `node /opt/ebb/bin/ebb.js recall ${address}`],
  ])("is known when a command asks %s", async (_name, command) => {
    const { keeper, talk, address, answer } = await released();
    const recalled = bash(talk, "b2", command(address), answer);
    await send(keeper, bodyOf(recalled), { atMs: HOUR });
    expect(await reasonsFor(keeper, turns(recalled, 1), "b2", { atMs: 3 * HOUR })).toHaveLength(1);
  });

  it.each([
    [
      "Codex's heads of a command",
      "Chunk ID: cc24f0\nWall time: 0.0000 seconds\nProcess exited with code 0\nOutput:\n",
    ],
    ["Gemini CLI's", "<untrusted_context>\nOutput: "],
    ["Codex's head of a tool, which a text of its own follows", "Wall time: 0.1440 seconds\nOutput:"],
  ])("is known behind %s", async (_name, head) => {
    const { keeper, talk, address, answer } = await released();
    const recalled = bash(talk, "b2", `ebb recall ${address}`, `${head}${answer}`);
    await send(keeper, bodyOf(recalled), { atMs: HOUR });
    const exempt = ["kept_verbatim_after_expand: recalled text stays through turn 7"];
    expect(await reasonsFor(keeper, turns(recalled, 1), "b2", { atMs: 3 * HOUR })).toEqual(exempt);
  });

  it("is not what a line of a long output looks like", async () => {
    const { keeper, talk, address, answer } = await released();
    const long = `${"x".repeat(600)}\n${answer}`;
    const other = bash(talk, "b2", `ebb recall ${address}`, long);
    await send(keeper, bodyOf(other), { atMs: HOUR });
    expect(await reasonsFor(keeper, turns(other, 1), "b2", { atMs: HOUR })).toEqual([
      expect.stringMatching(/^cached_prefix/),
    ]);
  });

  it("that leaves later names the original as the way back, not a copy, and its own address as every marker", async () => {
    const { keeper, talk, address, answer } = await released();
    const recalled = bash(talk, "b2", `ebb recall ${address}`, answer);
    await send(keeper, bodyOf(recalled), { atMs: HOUR });
    const marker = String(resultIn(await sendTurns(keeper, recalled, 6), "b2"));
    const own = /^\[ebb (\w{12})\] Bash ebb recall/.exec(marker)?.[1] ?? "";
    expect(own).not.toBe(address);
    expect(marker).toMatch(new RegExp(`Full text: ebb recall ${address}$`));
    expect(await ask(keeper, address)).toBe(answer);
    expect(await ask(keeper, own)).toContain(answer);
  });

  it("of an address that no item of the conversation has leads to itself", async () => {
    const keeper = createTestKeeper({ lifetimeRules: EXPIRE_AT_ONCE });
    const spoof = bash(asked, "b2", "ebb recall 0123456789ab", `[ebb 0123456789ab] Read /w/a.ts\n\n${LONG}`);
    await send(keeper, bodyOf(spoof), { atMs: 0 });
    const marker = String(resultIn(await sendTurns(keeper, spoof, 6), "b2"));
    const own = /^\[ebb (\w{12})\]/.exec(marker)?.[1] ?? "?";
    expect(marker).toContain(`Full text: ebb recall ${own}`);
  });
});

describe("text recalled by the tool", () => {
  const tools = [...CLAUDE_TOOLS, MCP];

  it("is exempt as well, and its marker names the tool and the original", async () => {
    const { keeper, talk, address, answer } = await released({ tools });
    const recalled = results(assistant(talk, call("m1", MCP, { id: address })), result("m1", answer));
    await send(keeper, bodyOf(recalled, { tools }), { atMs: HOUR });
    expect(await reasonsFor(keeper, turns(recalled, 1), "m1", { tools, atMs: HOUR })).toHaveLength(1);
    const marker = String(resultIn(await sendTurns(keeper, recalled, 6, { tools }), "m1"));
    expect(marker).toMatch(
      new RegExp(`^\\[ebb \\w{12}\\] ${MCP} ${address}, .*Full text: ${MCP}\\(id="${address}"\\)$`),
    );
  });

  it("brings an attachment back that is exempt like text", async () => {
    const views: View[] = [];
    const looker = {
      name: "looker",
      propose(view: View) {
        views.push(view);
        return { proposals: [], declines: [] };
      },
    };
    const keeper = createTestKeeper({ policies: [looker] });
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } };
    const words = { type: "text", text: "[ebb 0123456789ab] Read /w/a.png, image/png, 3 bytes" };
    const read = results(assistant(asked, call("r1", "Read", { file_path: "/w/a.png" })), result("r1", [image]));
    const recalled = results(assistant(read, call("m1", MCP, { id: "r1" })), result("m1", [words, image]));
    await send(keeper, bodyOf(recalled, { tools }));
    const exempt = views.at(-1)?.transcript.items.filter((item) => views.at(-1)?.exemptionOf(item) !== null);
    expect(exempt?.map((item) => [item.kind, "callId" in item && item.callId])).toEqual([
      ["result", "m1"],
      ["media", "m1"],
    ]);
  });

  it("is only what the tool answered: a failure is none", async () => {
    const { keeper, talk } = await released({ tools });
    const failed = results(assistant(talk, call("m1", MCP, { id: "x" })), result("m1", `unknown id: ${LONG}`));
    await send(keeper, bodyOf(failed, { tools }), { atMs: HOUR });
    expect(await reasonsFor(keeper, turns(failed, 1), "m1", { tools, atMs: 3 * HOUR })).toEqual([]);
  });
});
