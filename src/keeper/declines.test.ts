import { describe, expect, it } from "vitest";
import {
  assistant,
  type BodyOptions,
  bash,
  bodyOf,
  call,
  EMPTY_TALK,
  edit,
  idle,
  numbered,
  read,
  result,
  results,
  type Talk,
  text,
  thinking,
  user,
} from "../../test/support/conversation.ts";
import {
  createTestKeeper,
  prepare,
  type SendOptions,
  send,
  type TestKeeperOptions,
} from "../../test/support/keeper.ts";
import { createMemoryStore } from "../stores/memory.ts";

const FILE = Array.from({ length: 120 }, (_, line) => `const value${line} = compute(${line}, "some text");`).join("\n");
const BOUND = { lines: 50, bytes: 262_144 };
const MINUTE = 60_000;
const IMAGE = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } };

const asked = user(EMPTY_TALK, "fix a.ts");
const readTalk = read(asked, "r1", "/w/a.ts", FILE);
const staleTalk = edit(readTalk, "e1", "/w/a.ts");

/** The reasons this request gives for the result of a call; for the whole request with null. */
async function reasonsFor(
  keeper: ReturnType<typeof createTestKeeper>,
  talk: Talk,
  callId: string | null,
  options: BodyOptions & SendOptions = {},
): Promise<readonly string[]> {
  const prepared = await prepare(keeper, bodyOf(talk, options), options);
  const declines = prepared.kind === "forward" ? (prepared.plan?.declines ?? []) : [];
  const own = declines.filter(({ itemKey }) =>
    callId === null ? itemKey === null : itemKey?.startsWith(`result:${callId}:`) === true,
  );
  return own.map((decline) => decline.reason);
}

/** Sends `before` at the start and asks about `talk` once the cache is cold, when nothing else would hold a stale read. */
async function coldReasons(
  before: Talk,
  talk: Talk,
  callId: string,
  options: TestKeeperOptions & BodyOptions = {},
): Promise<readonly string[]> {
  const keeper = createTestKeeper(options);
  await send(keeper, bodyOf(before, options), { atMs: 0 });
  return reasonsFor(keeper, talk, callId, { ...options, atMs: 30 * MINUTE });
}

function goOn(talk: Talk): Talk {
  return user(assistant(talk, text("ok")), "go on");
}

describe("an item stays, and the reason is", () => {
  it("nothing, for a stale read on a cold cache: what the reasons below hold back does leave without them", async () => {
    expect(await coldReasons(staleTalk, goOn(staleTalk), "r1")).toEqual([]);
  });

  it("no_file_reads, once for a request without any", async () => {
    expect(await reasonsFor(createTestKeeper(), bash(asked, "b1", "ls", "a"), null)).toEqual(["no_file_reads"]);
    expect(await reasonsFor(createTestKeeper(), readTalk, null)).toEqual([]);
  });

  it("fresh_read, for a read nothing happened to", async () => {
    expect(await coldReasons(readTalk, goOn(readTalk), "r1")).toEqual(["fresh_read"]);
    expect(await coldReasons(staleTalk, goOn(staleTalk), "r1", { lifecycle: { stale: false } })).toEqual([
      "fresh_read",
    ]);
  });

  it("non_text_blocks, for an image read and for a result with unknown blocks", async () => {
    const called = assistant(asked, call("r1", "Read", { file_path: "/w/a.png" }));
    const seen = edit(results(called, result("r1", [{ type: "text", text: numbered(FILE) }, IMAGE])), "e1", "/w/a.png");
    expect(await coldReasons(seen, goOn(seen), "r1")).toEqual(["non_text_blocks"]);
    const odd = results(
      assistant(asked, call("b1", "Bash", { command: "x" })),
      result("b1", [{ type: "text", text: FILE }, { type: "odd_block" }]),
    );
    expect(await reasonsFor(createTestKeeper({ bound: BOUND }), odd, "b1")).toEqual(["non_text_blocks"]);
  });

  it("already_marked, for what stands as a marker", async () => {
    const keeper = createTestKeeper({ bound: BOUND });
    await send(keeper, bodyOf(readTalk), { atMs: 0 });
    expect(await reasonsFor(keeper, goOn(staleTalk), "r1", { atMs: 30 * MINUTE })).toEqual(["already_marked"]);
  });

  it("kept_verbatim_after_expand, for an answer of the recall that its command named", async () => {
    const answer = `[ebb 0123456789ab] Read /w/a.ts\nall lines\n\n${FILE}`;
    const recalled = bash(asked, "b1", "ebb recall 0123456789ab", answer);
    expect(await reasonsFor(createTestKeeper({ bound: BOUND }), recalled, "b1")).toEqual([
      "kept_verbatim_after_expand",
    ]);
  });

  it("not kept_verbatim_after_expand, where content only looks like an answer", async () => {
    const spoof = `[ebb 0123456789ab] Read /w/a.ts\n\n${FILE}`;
    for (const talk of [
      bash(asked, "x1", "cat notes", spoof),
      bash(asked, "x1", "ebb recall zzzzzzzzzzzz", spoof),
      read(asked, "x1", "/w/notes", spoof),
      results(assistant(asked, call("x1", "Grep", { pattern: "recall 0123456789ab" })), result("x1", spoof)),
    ]) {
      expect(await reasonsFor(createTestKeeper({ bound: BOUND }), talk, "x1")).toEqual([]);
    }
  });

  it("below_min_tokens, at the minimum and not above it", async () => {
    const small = edit(read(asked, "r1", "/w/a.ts", "let a = 1;"), "e1", "/w/a.ts");
    expect(await coldReasons(small, goOn(small), "r1")).toEqual(["below_min_tokens"]);
    expect(await coldReasons(small, goOn(small), "r1", { lifecycle: { minTokens: 0 } })).not.toContain(
      "below_min_tokens",
    );
  });

  it("cached_prefix, while the provider may hold it", async () => {
    const keeper = createTestKeeper();
    await send(keeper, bodyOf(readTalk), { atMs: 0 });
    expect(await reasonsFor(keeper, staleTalk, "r1", { atMs: 1 })).toEqual(["cached_prefix"]);
  });

  it("cached_prefix, on a cold cache without leave to use it", async () => {
    expect(await coldReasons(staleTalk, goOn(staleTalk), "r1", { lifecycle: { coldCache: false } })).toEqual([
      "cached_prefix",
    ]);
  });

  it("marker_no_win, where the marker is not smaller in tokens or not in bytes", async () => {
    const tiny = edit(read(asked, "r1", "/w/a.ts", "a"), "e1", "/w/a.ts");
    expect(await coldReasons(tiny, goOn(tiny), "r1", { lifecycle: { minTokens: 0 } })).toEqual(["marker_no_win"]);
    const manyTokens = results(
      assistant(asked, call("b1", "Bash", { command: "x" })),
      result("b1", "~!@#$%^&*()_+{}|:<>?`-=[];,./".repeat(3)),
    );
    const keeper = createTestKeeper({ bound: { lines: 1, bytes: 80 } });
    expect(await reasonsFor(keeper, manyTokens, "b1")).toEqual(["marker_no_win"]);
  });

  it("path_active, until the path was quiet for long enough or a held read covers it", async () => {
    const options = { lifecycle: { quietSteps: 5 } };
    expect(await coldReasons(staleTalk, goOn(staleTalk), "r1", options)).toEqual(["path_active"]);
    const quiet = idle(staleTalk, "i", 5);
    expect(await coldReasons(quiet, goOn(quiet), "r1", options)).toEqual([]);
    const covered = read(staleTalk, "r2", "/w/a.ts", FILE);
    expect(await coldReasons(covered, goOn(covered), "r1", options)).toEqual([]);
  });

  it("path_active also where the read that covers it has left itself", async () => {
    const keeper = createTestKeeper({ lifecycle: { quietSteps: 5 }, bound: { lines: 130, bytes: 262_144 } });
    const covered = read(staleTalk, "r2", "/w/a.ts", `${FILE}\n${FILE}`);
    await send(keeper, bodyOf(staleTalk), { atMs: 0 });
    await send(keeper, bodyOf(covered), { atMs: 1 });
    expect(await reasonsFor(keeper, goOn(covered), "r1", { atMs: 30 * MINUTE })).toEqual(["path_active"]);
  });

  it("load_bearing, for a read an unchanged answer points to, whichever policy proposes it", async () => {
    const again = assistant(readTalk, call("r2", "Read", { file_path: "/w/a.ts" }));
    const stub = results(again, result("r2", "File unchanged since last read. The content is still current."));
    const store = createMemoryStore({});
    await send(createTestKeeper({ store }), bodyOf(stub), { atMs: 0 });
    const lower = createTestKeeper({ store, bound: BOUND, idPrefix: "later" });
    expect(await reasonsFor(lower, goOn(stub), "r1", { atMs: 30 * MINUTE })).toEqual(["load_bearing"]);
    const edited = edit(stub, "e1", "/w/a.ts");
    expect(await coldReasons(edited, goOn(edited), "r1")).toEqual([]);
  });

  it("not_stored, by rule, by a relative path under a rule, and for the output of a command that names the file", async () => {
    const isNeverStored = (path: string) => path === "/w/secret/a.ts" || path.endsWith(".env");
    const options = { isNeverStored, bound: BOUND };
    const relative = read(asked, "r1", "secret/a.ts", FILE);
    expect(await reasonsFor(createTestKeeper(options), relative, "r1")).toEqual(["not_stored"]);
    const shown = bash(asked, "b1", "cat '.env' | sort", FILE);
    expect(await reasonsFor(createTestKeeper(options), shown, "b1")).toEqual(["not_stored"]);
    for (const command of ["cat .env", "cd /w/secret && sed -n '1,9999p' a.ts"]) {
      const printed = bash(asked, "b1", command, FILE);
      expect(await reasonsFor(createTestKeeper(options), printed, "b1")).toEqual(["not_stored"]);
    }
    expect(await reasonsFor(createTestKeeper(options), bash(asked, "b1", "ls", FILE), "b1")).toEqual([]);
  });

  it("not_stored, at the disk cap", async () => {
    const keeper = createTestKeeper({ bound: BOUND, store: createMemoryStore({ bytesMax: 10 }) });
    expect(await reasonsFor(keeper, readTalk, "r1")).toEqual(["not_stored"]);
  });

  it("unknown_boundary, for what came before Ebb saw the conversation, cold or not", async () => {
    const two = read(read(asked, "r1", "/w/a.ts", FILE), "r2", "/w/b.ts", FILE);
    const keeper = createTestKeeper({ bound: BOUND });
    expect(await reasonsFor(keeper, two, "r1", { atMs: 0 })).toEqual(["unknown_boundary"]);
    expect(await reasonsFor(createTestKeeper({ bound: BOUND }), two, "r2", { atMs: 0 })).toEqual([]);
  });

  it.each(["claude-opus-5-5", "claude-unheard-of-9"])(
    "bound_thinking, before a thinking block on %s",
    async (model) => {
      const thought = goOn(
        edit(
          results(assistant(asked, call("r1", "Read", { file_path: "/w/a.ts" })), result("r1", numbered(FILE))),
          "e1",
          "/w/a.ts",
        ),
      );
      const bound = user(assistant(thought, thinking("t"), text("ok")), "go on");
      expect(await coldReasons(thought, bound, "r1", { model })).toEqual(["bound_thinking"]);
      const before = assistant(asked, thinking("t"), call("r1", "Read", { file_path: "/w/a.ts" }));
      const free = edit(results(before, result("r1", numbered(FILE))), "e1", "/w/a.ts");
      expect(await coldReasons(free, goOn(free), "r1", { model })).toEqual([]);
    },
  );
});

describe("one reason for one item", () => {
  it("is that of the first gate, whichever policy asked", async () => {
    const two = edit(read(asked, "r1", "/w/a.ts", FILE), "e1", "/w/a.ts");
    const keeper = createTestKeeper({ bound: BOUND, isNeverStored: () => true });
    await send(keeper, bodyOf(readTalk), { atMs: 0 });
    expect(await reasonsFor(keeper, two, "r1", { atMs: 1 })).toEqual(["not_stored"]);
  });

  it("is counted for every request and once for the item, in all forks", async () => {
    const keeper = createTestKeeper();
    await send(keeper, bodyOf(readTalk), { atMs: 0 });
    await send(keeper, bodyOf(goOn(readTalk)), { atMs: 1 });
    await send(keeper, bodyOf(user(assistant(readTalk, text("hm")), "another way")), { atMs: 2, sessionId: "two" });
    expect(keeper.stats().declined).toEqual([{ reason: "fresh_read", item_requests: 3, items: 1 }]);
  });
});
