import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { bash, bodyOf, EMPTY_TALK, read, user } from "../../test/support/conversation.ts";
import { createTestKeeper, send } from "../../test/support/keeper.ts";
import { FILE } from "../../test/support/orders.ts";
import type { WindowAnswer } from "../keeper/window.ts";
import { openSqliteStore } from "../stores/sqlite.ts";
import { STORE_FILE_NAME } from "./data-folder.ts";
import { main } from "./main.ts";

let folder: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "ebb-orders-cli-"));
  const store = openSqliteStore({ file: join(folder, ".local", "share", "ebb", STORE_FILE_NAME) });
  const keeper = createTestKeeper({ store });
  const talk = read(user(EMPTY_TALK, "look"), "r1", "/w/a.ts", FILE);
  await send(keeper, bodyOf(bash(talk, "b1", "ls", "x".repeat(2_000))));
  await keeper.close();
  await store.close();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function run(...argv: readonly string[]) {
  return runOn({ isInteractive: false }, ...argv);
}

async function runOn({ isInteractive }: { readonly isInteractive: boolean }, ...argv: readonly string[]) {
  const texts = { out: "", err: "" };
  const code = await main(argv, {
    out: (chunk) => {
      texts.out += Buffer.from(chunk).toString();
    },
    err: (text) => {
      texts.err += text;
    },
    place: { env: {}, cwd: folder, home: folder, platform: "linux" },
    isInteractive,
    progress: process.stderr,
    ask: async () => "",
    untilStopped: async () => undefined,
  });
  return { code, ...texts };
}

describe("orders on the command line", () => {
  test("say when they act, and the window shows them with what is bound and open", async () => {
    const released = await run("release", "r1", "--reason", "done");
    expect(released).toMatchObject({ code: 0, out: expect.stringMatching(/^\w{12} let go; from the next request\n$/) });
    await run("protect", "--path", "/w/new.ts", "--reason", "the contract");
    await run("hold", "b1", "--scope", "tmp_fix", "--reason", "the fix");
    const { out } = await run("window");
    expect(out.replace(/\b[0-9a-hjkmnp-tv-z]{12}\b/g, "ADDRESS").split("\n")).toEqual([
      "turn 1, step 2, 2 items",
      expect.stringMatching(
        /^ADDRESS {2}held .* bytes {2}Read \/w\/a\.ts lines 1-120 {2}\(release asked \(done\), waiting: for the next request\)$/,
      ),
      expect.stringMatching(/^ADDRESS {2}held .* bytes {2}Bash ls {2}\(held until tmp_fix is closed: the fix\)$/),
      "path /w/new.ts  protected for good: the contract",
      "scope tmp_fix  open since turn 1, step 2: the fix (ADDRESS)",
      "",
    ]);
  });

  test("steer no terminal and forge no line, whatever their words are", async () => {
    const words = "x\u001b[2J\u009b1m\u202e\nzzzzzzzzzzzz  held  1 bytes  forged";
    const shown = "x\\u001b[2J\\u009b1m\\u202e zzzzzzzzzzzz held 1 bytes forged";
    const held = await run("hold", "b1", "--scope", `tmp_${words}`, "--reason", words);
    await run("protect", "r1", "--reason", words);
    await run("protect", "--path", `/w/${words}`, "--reason", words);
    const waiting = await run("release", "r1", "--reason", words);
    const window = await run("window");
    const refused = await run("release", "--scope", words, "--reason", "x");
    const closed = await run("release", "--scope", `tmp_${words}`, "--reason", words);
    const report = await run("report", "--format", "markdown");
    const all = [held, waiting, window, refused, closed, report].map(({ out, err }) => out + err).join("");
    expect(all.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
    expect(window.out.split("\n")).toHaveLength(6);
    expect(window.out).toContain(`(protected for good: ${shown}; release asked (${shown}), waiting: it is protected`);
    expect(window.out).toContain(`path /w/${shown}  protected for good: ${shown}`);
    expect(waiting.out.split("\n")).toHaveLength(2);
  });

  test("a recalled text steers no terminal, and a pipe gets it as it was", async () => {
    const store = openSqliteStore({ file: join(folder, ".local", "share", "ebb", STORE_FILE_NAME) });
    const keeper = createTestKeeper({ store });
    await send(keeper, bodyOf(bash(user(EMPTY_TALK, "look"), "b9", "ls", "red\u001b[31m text\n")), {
      sessionId: "other",
    });
    await keeper.close();
    await store.close();
    expect((await run("recall", "b9")).out).toContain("\n\nred\u001b[31m text\n");
    expect((await runOn({ isInteractive: true }, "recall", "b9")).out).toContain("\n\nred\\u001b[31m text\n");
    expect((await runOn({ isInteractive: true }, "recall", "b9", "--raw")).out).toBe("red\u001b[31m text\n");
  });

  test("are about the conversation used last where that is asked for, and where several could be meant say how", async () => {
    const store = openSqliteStore({ file: join(folder, ".local", "share", "ebb", STORE_FILE_NAME) });
    const keeper = createTestKeeper({ store });
    const later = { sessionId: null, atMs: Date.now() + 60_000 };
    await send(keeper, bodyOf(bash(user(EMPTY_TALK, "look"), "b9", "ls -la", "x".repeat(2_000))), later);
    await keeper.close();
    await store.close();
    const how = "name one: one without a session id, session (--session ID, or --last: the one used last)\n";
    expect(await run("window")).toMatchObject({ code: 1, err: expect.stringContaining(how) });
    expect((await run("hold", "--scope", "tmp_fix", "--reason", "x")).err).toContain("or --last");
    expect((await run("report")).err).toContain("or --last");
    expect((await run("window", "--last")).out).toContain("Bash ls -la");
    expect((await run("report", "--last")).out).toContain("Bash ls -la");
    expect(await run("hold", "--scope", "tmp_fix", "--last", "--reason", "x")).toMatchObject({ code: 0 });
    expect((await run("window", "--last")).out).toContain("scope tmp_fix");
    const both = { code: 2, err: "ebb: expected a session id or --last, got both\n" };
    expect(await run("window", "--last", "--session", "session")).toEqual({ ...both, out: "" });
    expect(await run("report", "session", "--last")).toEqual({ ...both, out: "" });
  });

  test("list a scope with what was acquired since it was opened", async () => {
    await run("hold", "--scope", "tmp_fix", "--reason", "the fix");
    expect((await run("window")).out).toContain("the fix (nothing yet)");
    const store = openSqliteStore({ file: join(folder, ".local", "share", "ebb", STORE_FILE_NAME) });
    const keeper = createTestKeeper({ store });
    const talk = read(user(EMPTY_TALK, "look"), "r1", "/w/a.ts", FILE);
    const longer = bash(bash(talk, "b1", "ls", "x".repeat(2_000)), "b2", "pwd", "y".repeat(2_000));
    await send(keeper, bodyOf(longer));
    await keeper.close();
    await store.close();
    expect((await run("window")).out).toContain("the fix (1 item acquired since)");
  });

  test.each([
    [["release", "r1", "--scope", "tmp_fix"], "expected items or --scope, got both"],
    [["release", "--latest", "1", "--scope", "tmp_fix"], "expected items or --scope, got both"],
    [["hold", "r1", "--off", "--turns", "3"], "expected --off or a lifetime, got both"],
    [["protect", "r1", "--off", "--scope", "tmp_fix"], "expected --off or a lifetime, got both"],
  ])("%j contradict themselves and are refused", async (argv, words) => {
    expect(await run(...argv, "--reason", "x")).toMatchObject({ code: 2, err: `ebb: ${words}\n` });
  });

  test("have no reason longer than a ledger entry should be", async () => {
    const refused = await run("hold", "r1", "--reason", "x".repeat(2_001));
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("bad order: a reason has at most 2000") });
    expect(await run("hold", "r1", "--reason", "x".repeat(2_000))).toMatchObject({ code: 0 });
  });

  test("come as data with --json", async () => {
    await run("protect", "--path", "/w/a.ts", "--reason", "the contract", "--turns", "2");
    const { out } = await run("window", "--json");
    const answer: Extract<WindowAnswer, { ok: true }> = JSON.parse(out);
    const protection = { until: "until turn 3", reason: "the contract", by: "agent" };
    expect(answer.items[0]).toMatchObject({ state: "held", protected: protection, held: null, waiting: null });
    expect(answer.paths).toEqual([{ path: "/w/a.ts", kind: "protected", ...protection }]);
    expect(answer.scopes).toEqual([]);
  });

  test("that are refused say why and record nothing", async () => {
    expect(await run("release", "--latest", "0", "--reason", "x")).toMatchObject({ code: 1 });
    expect(await run("protect", "--path", "a.tss", "--reason", "x")).toMatchObject({
      code: 1,
      err: expect.stringContaining("unknown id"),
    });
    expect(await run("release", "", "--reason", "x")).toMatchObject({
      code: 1,
      err: "ebb: bad order: an id is empty: expected an address or a call id\n",
    });
    expect((await run("window")).out).not.toContain("path ");
  });
});
