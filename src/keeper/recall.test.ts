import { describe, expect, it } from "vitest";
import {
  assistant,
  bash,
  bodyOf,
  call,
  EMPTY_TALK,
  read,
  result,
  results,
  type Talk,
  user,
} from "../../test/support/conversation.ts";
import { createTestKeeper, prepare, resultIn, send } from "../../test/support/keeper.ts";
import { RANGE_FORMS } from "../engine/selection.ts";
import { EbbError } from "../lib/ebb-error.ts";
import { encodeWtf8 } from "../lib/wtf8.ts";
import type { Store } from "../model/store.ts";
import { createMemoryStore } from "../stores/memory.ts";
import type { Keeper, RecallAnswer, RecallQuery } from "./contract.ts";

const asked = user(EMPTY_TALK, "look");
const SECOND_MS = 1_000;

function query(id: string, more: Partial<RecallQuery> = {}): RecallQuery {
  return {
    tenant: "local",
    id,
    range: null,
    pattern: null,
    ignoreCase: false,
    chars: null,
    sessionId: null,
    by: "agent",
    atMs: 2_000_000,
    ...more,
  };
}

async function keeperWith(talk: Talk, store: Store = createMemoryStore({}), bytes = 262_144) {
  const keeper = createTestKeeper({ store, bound: { lines: 16_384, bytes } });
  await send(keeper, bodyOf(talk), { sessionId: "one" });
  await keeper.close();
  return keeper;
}

function textOf(answer: RecallAnswer): string {
  if (!answer.ok) throw new Error(answer.words);
  return answer.text.slice(answer.text.indexOf("\n\n") + 2);
}

function failureOf(answer: RecallAnswer): string | null {
  return answer.ok ? null : answer.failure;
}

async function stateOf(keeper: Keeper, more: Partial<RecallQuery>): Promise<string | undefined> {
  const answer = await keeper.recall(query("b1", more));
  return answer.ok ? answer.text.split("\n")[1] : answer.words;
}

/** Follows the printed continuations from the first answer to the last. */
async function walk(ask: (range: string | null) => Promise<RecallAnswer>): Promise<string> {
  const open: (string | null)[] = [null];
  let walked = "";
  for (let range = open.shift(); range !== undefined; range = open.shift()) {
    const answer = await ask(range);
    walked += textOf(answer);
    const head = answer.ok ? answer.text.slice(0, answer.text.indexOf("\n\n")) : "";
    const rest = /continue with range=(.*)$/.exec(head)?.[1];
    open.unshift(...(rest === undefined ? [] : rest.split(", then range=")));
  }
  return walked;
}

describe("a recall", () => {
  it("answers label, address, size and the exact text", async () => {
    const keeper = await keeperWith(bash(asked, "b1", "ls -l", "one\ntwo\nthree"));
    const answer = await keeper.recall(query("b1"));
    expect(answer.ok && answer.text).toBe(
      `[ebb ${answer.ok ? answer.item?.address : ""}] Bash ls -l\nall lines of 3 lines, 13 characters; 3 shown, complete\n\none\ntwo\nthree`,
    );
    expect(answer.ok && Buffer.from(answer.raw).toString()).toBe("one\ntwo\nthree");
    expect(keeper.stats().recalls).toBe(1);
  });

  it.each([
    ["2-3", "two\nthree\n"],
    ["3-", "three\nfour"],
    ["-2", "one\ntwo\n"],
    ["2", "two\n"],
    ["2@2-3", "wo"],
    ["0", "one\ntwo\nthree\nfour"],
    ["3-99", "three\nfour"],
    ["9-", ""],
    ["9", ""],
    ["9-12", ""],
    ["-99", "one\ntwo\nthree\nfour"],
    ["all", "one\ntwo\nthree\nfour"],
    ["", "one\ntwo\nthree\nfour"],
    ["2@3-", "o\n"],
    ["2@-2", "tw"],
    ["2@3", "o"],
    ["2@9-", ""],
    ["9@1-", ""],
  ])("of range %s is those lines", async (range, text) => {
    const keeper = await keeperWith(bash(asked, "b1", "x", "one\ntwo\nthree\nfour"));
    expect(textOf(await keeper.recall(query("b1", { range })))).toBe(text);
  });

  it("addresses a read window by the file's own lines, and prints their numbers once", async () => {
    const called = assistant(asked, call("r1", "Read", { file_path: "/w/a.ts", offset: 100, limit: 3 }));
    const keeper = await keeperWith(results(called, result("r1", "   100→one\n   101→two\n   102→three")));
    const answer = await keeper.recall(query("r1", { range: "101-102", pattern: "^t" }));
    expect(textOf(answer)).toBe("   101→two\n   102→three");
    expect(answer.ok && answer.text).toContain("of 3 lines (from line 100 of the file)");
    expect(textOf(await keeper.recall(query("r1", { range: "1-3" })))).toBe("");
  });

  it("matches lines as they are without their ends, and numbers them", async () => {
    const keeper = await keeperWith(bash(asked, "b1", "x", "Alpha\r\nbeta\nalpha\n"));
    expect(textOf(await keeper.recall(query("b1", { pattern: "^alpha$", ignoreCase: true })))).toBe(
      "1: Alpha\r\n3: alpha\n",
    );
  });

  it("says of a range past the end that it has no lines, and of a slice past it that it has no characters", async () => {
    const keeper = await keeperWith(bash(asked, "b1", "x", "one\ntwo"));
    expect(await stateOf(keeper, { range: "9-" })).toBe(
      "lines 9 to end of 2 lines, 7 characters; 0 lines shown, complete",
    );
    expect(await stateOf(keeper, { range: "2@9-" })).toBe(
      "lines 2 to 2, characters 9 to end of 2 lines, 7 characters; 0 characters shown, complete",
    );
  });

  it("is capped by the characters asked for, counted as code points, and names what is left", async () => {
    const keeper = await keeperWith(bash(asked, "b1", "x", "😀😀\nab\nc"));
    expect(await stateOf(keeper, { chars: 5 })).toBe(
      "all lines of 3 lines, 7 characters; 1 shown, continue with range=2-",
    );
    expect(await stateOf(keeper, { chars: 1 })).toBe(
      "all lines of 3 lines, 7 characters; characters 1 to 1 of line 1 shown, continue with range=1@2-, then range=2-",
    );
    expect(await stateOf(keeper, { chars: 7 })).toBe("all lines of 3 lines, 7 characters; 3 shown, complete");
  });

  it("is capped by the size bound, whatever number of characters is asked for", async () => {
    const keeper = await keeperWith(bash(asked, "b1", "x", "12345\n12345\n"), createMemoryStore({}), 8);
    expect(await stateOf(keeper, { chars: 1_000 })).toBe(
      "all lines of 2 lines, 12 characters; 1 shown, continue with range=2-",
    );
  });

  it("of an attachment is the attachment, whole", async () => {
    const data = Buffer.from("not really a picture").toString("base64");
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data } };
    const called = assistant(asked, call("r1", "Read", { file_path: "/w/a.png" }));
    const keeper = await keeperWith(results(called, result("r1", [image])));
    const [found] = (await keeper.store.findItems("local", "r1")).filter((one) => one.item.kind === "media");
    const address = found?.item.address ?? "";
    const answer = await keeper.recall(query(address));
    expect(answer.ok && Buffer.from(answer.raw).toString()).toBe("not really a picture");
    for (const slice of [{ range: "1-2" }, { range: "4-2" }, { pattern: "x" }]) {
      expect(failureOf(await keeper.recall(query(address, slice)))).toBe("attachment cannot be sliced");
    }
    for (const whole of [{ range: "all" }, { range: "0" }, { chars: 10 }]) {
      const again = await keeper.recall(query(address, whole));
      expect(again.ok && Buffer.from(again.raw).toString()).toBe("not really a picture");
    }
  });

  it("of an item that is still on its way to the store waits for it", async () => {
    const keeper = createTestKeeper();
    await prepare(keeper, bodyOf(bash(asked, "b1", "x", "text")));
    expect(textOf(await keeper.recall(query("b1")))).toBe("text");
  });

  it("does not make the next request plan twice, and the ledger keeps it", async () => {
    const keeper = await keeperWith(bash(asked, "b1", "x", "text"));
    await keeper.recall(query("b1"));
    await send(keeper, bodyOf(bash(bash(asked, "b1", "x", "text"), "b2", "x", "more")), { sessionId: "one" });
    const [lineage] = await keeper.store.listLineages("local", 1);
    const records = await keeper.store.loadLineage("local", lineage?.lineage ?? "");
    expect(records.map(({ entry }) => entry.type)).toEqual([
      "lineage-opened",
      "item-acquired",
      "request-sent",
      "response-seen",
      "item-recalled",
      "item-acquired",
      "request-sent",
      "response-seen",
    ]);
  });

  it("succeeds where the ledger cannot take a note of it", async () => {
    const store = createMemoryStore({});
    await keeperWith(bash(asked, "b1", "x", "text"), store);
    const full = () => Promise.reject(new EbbError("store_full", "the disk is full"));
    const later = createTestKeeper({ store: { ...store, commit: full } });
    expect(textOf(await later.recall(query("b1")))).toBe("text");
    expect(later.stats().errors).toMatchObject([{ code: "store_full" }]);
  });
});

describe("a recall that fails says why:", () => {
  const talk = bash(asked, "b1", "x", "some text");

  it("unknown id", async () => {
    const keeper = await keeperWith(talk);
    expect(failureOf(await keeper.recall(query("nothing")))).toBe("unknown id");
    expect(failureOf(await keeper.recall(query("b1", { tenant: "other" })))).toBe("unknown id");
  });

  it("belongs to another session; but not to one that resumed it", async () => {
    const keeper = await keeperWith(talk);
    expect(failureOf(await keeper.recall(query("b1", { sessionId: "two" })))).toBe("belongs to another session");
    await send(keeper, bodyOf(user(assistant(talk, { type: "text", text: "ok" }), "go on")), { sessionId: "two" });
    expect(failureOf(await keeper.recall(query("b1", { sessionId: "two" })))).toBeNull();
    expect(failureOf(await keeper.recall(query("b1", { sessionId: "one" })))).toBeNull();
  });

  it("expired by retention, purged by the user", async () => {
    const keeper = await keeperWith(talk);
    await keeper.sweep(1_000_000 + 31 * 86_400 * SECOND_MS);
    expect(await keeper.recall(query("b1"))).toMatchObject({
      failure: "expired by retention",
      words: "b1 expired by retention on 1970-02-01T00:16:40.000Z",
    });
    const other = await keeperWith(talk);
    await other.purge("local", { kind: "all" }, 5_000_000);
    expect(failureOf(await other.recall(query("b1")))).toBe("purged by the user");
  });

  it("not a finished result, while no request has brought it", async () => {
    const keeper = createTestKeeper();
    await send(keeper, bodyOf(talk), { calls: ["b2"] });
    expect(await keeper.recall(query("b2"))).toMatchObject({
      failure: "not a finished result",
      words: 'the call "b2" was made, and no request has brought its result',
    });
    await send(keeper, bodyOf(bash(talk, "b2", "x", "done")));
    expect(textOf(await keeper.recall(query("b2")))).toBe("done");
  });

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])("bad range, for %s characters", async (chars) => {
    const keeper = await keeperWith(talk);
    expect(await keeper.recall(query("b1", { chars }))).toMatchObject({
      failure: "bad range",
      words: `chars: expected a whole number from 1, got ${chars}`,
    });
  });

  it.each(["4-2", "0-3", "-0", "1,2", "7@0-1", "7@", "last"])(
    "bad range, with the legal forms, for %s",
    async (range) => {
      const keeper = await keeperWith(talk);
      expect(await keeper.recall(query("b1", { range }))).toMatchObject({
        failure: "bad range",
        words: expect.stringContaining(`range "${range}" is not legal; ${RANGE_FORMS}`),
      });
    },
  );

  it("selects nothing, where no line of the range matches", async () => {
    const keeper = await keeperWith(talk);
    expect(await keeper.recall(query("b1", { pattern: "nowhere" }))).toMatchObject({
      failure: "selects nothing",
      words: 'none of the 1 lines asked for matches "nowhere"',
    });
  });

  it("empty result, bad range, bad pattern", async () => {
    const keeper = await keeperWith(bash(bash(asked, "b1", "x", "some text"), "b2", "true", ""));
    expect(failureOf(await keeper.recall(query("b2")))).toBe("empty result");
    expect(failureOf(await keeper.recall(query("b1", { range: "4-2" })))).toBe("bad range");
    expect(failureOf(await keeper.recall(query("b1", { pattern: "(" })))).toBe("bad pattern");
  });

  it("ambiguous session", async () => {
    const keeper = await keeperWith(talk);
    await send(keeper, bodyOf(bash(user(EMPTY_TALK, "other"), "b1", "x", "other text")), { sessionId: "two" });
    expect(failureOf(await keeper.recall(query("b1")))).toBe("ambiguous session");
    expect(textOf(await keeper.recall(query("b1", { sessionId: "two" })))).toBe("other text");
    const [{ lineage = null } = {}] = await keeper.store.listLineages("local", 1);
    expect(textOf(await keeper.recall(query("b1", { lineage })))).toBe("other text");
    expect(failureOf(await keeper.recall(query("b1", { lineage: "of none of them" })))).toBe("ambiguous session");
  });

  it("not stored, by rule or because the disk cap was reached", async () => {
    const secret = read(asked, "r1", "/w/.env", "KEY=1");
    const ruled = createTestKeeper({ isNeverStored: (path) => path.endsWith("/.env") });
    await send(ruled, bodyOf(secret));
    expect(await ruled.recall(query("r1"))).toMatchObject({
      failure: "not stored",
      words: expect.stringMatching(/rule/),
    });
    const capped = await keeperWith(talk, createMemoryStore({ bytesMax: 1 }));
    expect(await capped.recall(query("b1"))).toMatchObject({
      failure: "not stored",
      words: expect.stringMatching(/cap/),
    });
  });

  it("damaged in store, store unavailable", async () => {
    const store = createMemoryStore({});
    await keeperWith(talk, store);
    const damaged = createTestKeeper({ store: { ...store, getOriginal: async () => ({ state: "corrupt" }) } });
    expect(failureOf(await damaged.recall(query("b1")))).toBe("damaged in store");
    const broken = { ...store, findItems: () => Promise.reject(new EbbError("store_locked", "busy")) };
    const unavailable = createTestKeeper({ store: broken });
    expect(failureOf(await unavailable.recall(query("b1")))).toBe("store unavailable");
  });
});

describe("what a marker stands for", () => {
  it("comes back byte for byte, lone surrogates included", async () => {
    const original = `${"line of text\n".repeat(40)}\ud83d lone \udc00`;
    const keeper = createTestKeeper({ bound: { lines: 10, bytes: 262_144 } });
    const sent = await send(keeper, bodyOf(bash(asked, "b1", "x", original)));
    const address = /^\[ebb ([0-9a-z]{12})\]/.exec(String(resultIn(sent, "b1")))?.[1] ?? "";
    const answer = await keeper.recall(query(address));
    expect(answer.ok && Buffer.from(answer.raw).equals(Buffer.from(encodeWtf8(original)))).toBe(true);
    expect(await walk((range) => keeper.recall(query(address, { range })))).toBe(original);
  });
});
