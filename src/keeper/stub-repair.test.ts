import { describe, expect, it } from "vitest";
import {
  assistant,
  bodyOf,
  call,
  EMPTY_TALK,
  edit,
  numbered,
  read,
  result,
  results,
  type Talk,
  text,
  user,
} from "../../test/support/conversation.ts";
import { createTestKeeper, resultIn, send } from "../../test/support/keeper.ts";
import { createMemoryStore } from "../stores/memory.ts";

const FILE = Array.from({ length: 120 }, (_, line) => `const value${line} = compute(${line}, "some text");`).join("\n");
const BOUND = { lines: 50, bytes: 262_144 };
const STUB = "File unchanged since last read. The content is still current.";
const WITHOUT_SHELL = ["Read", "Edit", "Grep"];
const asked = user(EMPTY_TALK, "look at a.ts");
const readTalk = read(asked, "r1", "/w/a.ts", FILE);

function stubAfter(talk: Talk, id = "r2"): Talk {
  return results(assistant(talk, call(id, "Read", { file_path: "/w/a.ts" })), result(id, STUB));
}

/** What the client sends after a rewind to the first message: the harness still believes its earlier read is there. */
const rewound = stubAfter(user(assistant(asked, text("hm")), "again please"));

describe("an unchanged answer", () => {
  it("stays as it is where the read it points to is held", async () => {
    const keeper = createTestKeeper();
    await send(keeper, bodyOf(readTalk));
    expect(resultIn(await send(keeper, bodyOf(stubAfter(readTalk))), "r2")).toBe(STUB);
  });

  it("points to the text of a read that held a picture too", async () => {
    const picture = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } };
    const called = assistant(asked, call("r1", "Read", { file_path: "/w/a.ts" }));
    const keeper = createTestKeeper();
    await send(
      keeper,
      bodyOf(results(called, result("r1", [text(numbered(FILE)), picture])), { tools: WITHOUT_SHELL }),
    );
    expect(resultIn(await send(keeper, bodyOf(rewound, { tools: WITHOUT_SHELL })), "r2")).toBe(numbered(FILE));
  });

  it("becomes a truthful pointer where the read was rewound away, and stays one", async () => {
    const keeper = createTestKeeper();
    await send(keeper, bodyOf(readTalk));
    const sent = String(resultIn(await send(keeper, bodyOf(rewound)), "r2"));
    expect(sent).toMatch(
      /^\[ebb [0-9a-z]{12}\] The file is unchanged since an earlier read, which is not in this window/,
    );
    const address = sent.slice(5, 17);
    expect(sent.endsWith(`Full text: ebb recall ${address}`)).toBe(true);
    const original = await keeper.recall({
      tenant: "local",
      id: address,
      range: null,
      pattern: null,
      ignoreCase: false,
      chars: null,
      sessionId: null,
      by: "agent",
      atMs: 2_000_000,
    });
    expect(original.ok && Buffer.from(original.raw).toString()).toBe(numbered(FILE));
    const next = await send(keeper, bodyOf(user(assistant(rewound, text("ok")), "go on")));
    expect(resultIn(next, "r2")).toBe(sent);
  });

  it("becomes a pointer where the read it points to was released", async () => {
    const keeper = createTestKeeper({ bound: BOUND });
    const first = String(resultIn(await send(keeper, bodyOf(readTalk)), "r1"));
    const sent = String(resultIn(await send(keeper, bodyOf(stubAfter(readTalk))), "r2"));
    expect(sent).toContain("unchanged since an earlier read");
    expect(sent.slice(0, 18)).toBe(first.slice(0, 18));
  });

  it("becomes the stored text itself where the lineage can reach no recall", async () => {
    const keeper = createTestKeeper();
    await send(keeper, bodyOf(readTalk, { tools: WITHOUT_SHELL }));
    const sent = await send(keeper, bodyOf(rewound, { tools: WITHOUT_SHELL }));
    expect(resultIn(sent, "r2")).toBe(numbered(FILE));
  });

  it("stays as it is where the file was edited after the read that is gone", async () => {
    const keeper = createTestKeeper();
    await send(keeper, bodyOf(readTalk));
    const edited = stubAfter(edit(user(assistant(asked, text("hm")), "again"), "e1", "/w/a.ts"));
    await send(keeper, bodyOf(user(assistant(asked, text("hm")), "again")));
    const sent = String(resultIn(await send(keeper, bodyOf(edited)), "r2"));
    expect(sent).toBe(STUB);
  });

  it("stays as it is where the file was edited before the client folded its history", async () => {
    const keeper = createTestKeeper();
    await send(keeper, bodyOf(readTalk));
    await send(keeper, bodyOf(edit(readTalk, "e1", "/w/a.ts")));
    const summary =
      "This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.\n\nAll is well.";
    const folded = stubAfter(user(EMPTY_TALK, summary));
    expect(resultIn(await send(keeper, bodyOf(folded)), "r2")).toBe(STUB);
  });

  it("becomes a pointer across a fold where nothing happened to the file", async () => {
    const keeper = createTestKeeper();
    await send(keeper, bodyOf(readTalk));
    const summary =
      "This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.\n\nAll is well.";
    const folded = stubAfter(user(EMPTY_TALK, summary));
    expect(resultIn(await send(keeper, bodyOf(folded)), "r2")).toContain("unchanged since an earlier read");
  });

  it("stays as it is where its sending is behind us: after an assistant message stands on it", async () => {
    const keeper = createTestKeeper();
    await send(keeper, bodyOf(readTalk));
    const sent = await send(keeper, bodyOf(user(assistant(rewound, text("ok")), "go on")));
    expect(resultIn(sent, "r2")).toBe(STUB);
  });

  it("stays as it is, and the request goes out, where the disk cap keeps its own text out", async () => {
    const store = createMemoryStore({});
    const first = createTestKeeper({ store });
    await send(first, bodyOf(readTalk));
    await first.close();
    const full = { ...store, putOriginals: async () => false };
    const keeper = createTestKeeper({ store: full, idPrefix: "later" });
    expect(resultIn(await send(keeper, bodyOf(rewound)), "r2")).toBe(STUB);
    expect(keeper.stats().fallbacks).toEqual({ script_only: 0, original: 0, refused: 0 });
    expect(keeper.stats().declined.map((count) => count.reason)).toContain("not_stored");
  });

  it("is repaired as an insertion: it counts against what was removed, and as no release of tokens", async () => {
    const keeper = createTestKeeper();
    await send(keeper, bodyOf(readTalk, { tools: WITHOUT_SHELL }));
    await send(keeper, bodyOf(rewound, { tools: WITHOUT_SHELL }));
    const { figures } = keeper.stats();
    expect(figures).toMatchObject({ unique_released_tokens: 0, attempted_tokens: 0 });
    expect(figures.removed_tokens).toBeLessThan(-500);
  });
});

describe("a lineage without a shell", () => {
  it("gets no marker that names a command, and still the address", async () => {
    const keeper = createTestKeeper({ bound: BOUND });
    const sent = String(resultIn(await send(keeper, bodyOf(readTalk, { tools: WITHOUT_SHELL })), "r1"));
    expect(sent).toMatch(/^\[ebb [0-9a-z]{12}\] Read \/w\/a\.ts/);
    expect(sent).not.toMatch(/recall|Full text/);
  });
});
