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

async function run(...argv: readonly string[]) {
  const texts = { out: "", err: "" };
  const code = await main(argv, {
    out: (chunk) => {
      texts.out += Buffer.from(chunk).toString();
    },
    err: (text) => {
      texts.err += text;
    },
    place: { env: {}, cwd: folder, home: folder, platform: "linux" },
    isInteractive: false,
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
