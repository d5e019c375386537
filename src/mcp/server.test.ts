import { describe, expect, test } from "vitest";
import { createToolStage, type Told } from "../../test/support/mcp/tool-stage.ts";
import { createFakeKeeper, type FakeKeeperParts } from "../../test/support/proxy/fake-keeper.ts";
import type { RecallAnswer } from "../keeper/contract.ts";
import { EbbError } from "../lib/ebb-error.ts";
import { MESSAGE_BYTES_MAX } from "./stdio-transport.ts";

const HELLO = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } };

function stageWith(parts: FakeKeeperParts = {}) {
  return createToolStage(() => createFakeKeeper(parts));
}

function textOf({ result }: Told): string {
  return result?.content?.map((part) => part.text).join("") ?? "";
}

describe("the tool server", () => {
  test("says who it is, what it can, and its tools", async () => {
    const stage = stageWith();
    stage.ask(1, "initialize", HELLO);
    expect(await stage.next()).toMatchObject({ id: 1, result: { serverInfo: { name: "ebb", version: "9.9.9" } } });
    stage.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
    stage.ask(2, "tools/list");
    const { result } = await stage.next();
    expect(result?.tools?.map(({ name }) => name)).toEqual(["recall", "hold", "release", "window"]);
    expect(await stage.end()).toEqual([]);
  });

  test("answers messages in halves, several in one chunk, with carriage returns and blank lines between", async () => {
    const stage = stageWith();
    const message = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping", params: { note: "ö€𝄞" } });
    for (const byte of Buffer.from(`${message}\r\n`)) stage.write(Buffer.from([byte]));
    expect(await stage.next()).toMatchObject({ id: 1, result: {} });
    stage.write(`\n\n${message.replace(":1,", ":2,")}\n${message.replace(":1,", ":3,")}\n`);
    expect([(await stage.next()).id, (await stage.next()).id]).toEqual([2, 3]);
    await stage.end();
  });

  test.each<[string, string, number, number | undefined]>([
    ["garbage", "garbage\n", -32_700, undefined],
    ["half a message", '{"jsonrpc":"2.0","id":7,\n', -32_700, undefined],
    ["bytes that are no text", "\xff\xfe\x00\n", -32_700, undefined],
    ["another protocol's message", '{"id":7,"method":"ping"}\n', -32_600, 7],
    ["a batch", "[]\n", -32_600, undefined],
    ["null", "null\n", -32_600, undefined],
    ["a method nobody knows", '{"jsonrpc":"2.0","id":7,"method":"server/discover"}\n', -32_601, 7],
  ])("answers %s with an error of the protocol and goes on", async (_what, bytes, code, id) => {
    const stage = stageWith();
    stage.write(Buffer.from(bytes, "latin1"));
    const told = await stage.next();
    expect([told.error?.code, told.id]).toEqual([code, id]);
    stage.ask(9, "ping");
    expect(await stage.next()).toMatchObject({ id: 9, result: {} });
    await stage.end();
  });

  test("skips a message without an end, and answers what follows it", async () => {
    const stage = stageWith();
    const piece = Buffer.alloc(1024 * 1024, "x");
    for (let bytes = 0; bytes <= MESSAGE_BYTES_MAX; bytes += piece.length) stage.write(piece);
    stage.write("\n");
    expect((await stage.next()).error?.code).toBe(-32_600);
    stage.ask(9, "ping");
    expect(await stage.next()).toMatchObject({ id: 9, result: {} });
    await stage.end();
  });

  test("drops an unfinished message at the end of its input", async () => {
    const stage = stageWith();
    stage.write('{"jsonrpc":"2.0","id":1,"method":"ping"}');
    expect(await stage.end()).toEqual([]);
  });

  test("answers the calls that were under way when its input ended, then closes the store", async () => {
    const recall = () => ({ ok: true, item: null, text: "text", raw: new Uint8Array() }) as RecallAnswer;
    const stage = stageWith({ recall });
    for (let id = 1; id <= 100; id++) stage.call(id, "recall", { id: "a" });
    const told = await stage.end();
    expect(told.map(({ id }) => id).toSorted((a = 0, b = 0) => a - b)).toEqual(
      Array.from({ length: 100 }, (_, index) => index + 1),
    );
    expect(told.every((one) => textOf(one) === "text")).toBe(true);
    expect(stage.doors).toEqual({ opened: 1, closed: 1 });
  });

  test("ends when it is asked to, though its input stays open", async () => {
    const stage = stageWith();
    stage.ask(1, "ping");
    await stage.next();
    await stage.stop();
    expect(stage.doors).toEqual({ opened: 0, closed: 0 });
  });
});

describe("a call that cannot be meant", () => {
  test.each<[string, unknown, string]>([
    ["forget", {}, 'bad order: expected one of the tools recall, hold, release, window, got "forget"'],
    ["recall", {}, "bad order: id: expected an address or a call id, got nothing"],
    ["recall", { id: "a", lines: 3 }, "bad order: lines: unknown key"],
    ["recall", { id: "a", keep: true }, "bad order: reason: expected a reason, got nothing"],
    ["recall", { id: "a", keep: true, release: true, reason: "r" }, "bad order: expected keep or release, got both"],
    ["recall", { id: "a", chars: 0 }, "bad order: chars: expected a whole number from 1, got 0"],
    ["hold", { ids: ["a"] }, "bad order: reason: expected a reason, got nothing"],
    ["release", { ids: ["a"], reason: "r", session: "s" }, "bad order: session: unknown key"],
    ["window", { range: 3 }, "bad order: range: expected lines as A-B, A-, -B, N or N@C-D, got 3"],
  ])("of %s with %j is answered in words", async (name, args, words) => {
    const stage = stageWith();
    stage.call(1, name, args);
    const told = await stage.next();
    expect([textOf(told), told.result?.isError]).toEqual([words, true]);
    await stage.end();
  });

  test("with arguments of 2 MB is answered in a few words", async () => {
    const stage = stageWith();
    stage.call(1, "recall", { id: "x".repeat(2_000_000) });
    stage.call(2, "release", { ids: Array.from({ length: 100_000 }, () => "0123456789ab"), reason: "r" });
    stage.call(3, "recall", { id: "a", ["k".repeat(2_000_000)]: 1 });
    for (const _ of [1, 2, 3]) {
      const told = await stage.next();
      expect(textOf(told)).toMatch(/^bad order: /);
      expect(textOf(told).length).toBeLessThan(1_000);
    }
    await stage.end();
  });

  test("with arguments that are no object is an error of the protocol", async () => {
    const stage = stageWith();
    stage.call(1, "recall", [1]);
    expect((await stage.next()).error?.code).toBeLessThan(0);
    await stage.end();
  });
});

describe("a store that fails", () => {
  test("is named at each call until it can be opened", async () => {
    let isLocked = true;
    const stage = createToolStage(() => {
      if (isLocked) throw new EbbError("store_locked", "the store is locked by another process");
      return createFakeKeeper();
    });
    stage.call(1, "window", {});
    expect(textOf(await stage.next())).toBe("store unavailable: the store is locked by another process");
    isLocked = false;
    stage.call(2, "recall", { id: "a" });
    expect(textOf(await stage.next())).toBe("unknown id: no such item");
    await stage.end();
  });

  test("is opened anew at the next call, and the old one closed", async () => {
    const failing = createFakeKeeper({
      recall: () => ({ ok: false, failure: "store unavailable", words: "the store's file was replaced" }),
    });
    const keepers = [failing, createFakeKeeper()];
    const stage = createToolStage(() => keepers.shift() ?? createFakeKeeper());
    stage.call(1, "recall", { id: "a" });
    expect(textOf(await stage.next())).toMatch(/^store unavailable: /);
    expect(stage.doors).toEqual({ opened: 1, closed: 1 });
    stage.call(2, "recall", { id: "a" });
    expect(textOf(await stage.next())).toBe("unknown id: no such item");
    await stage.end();
    expect(stage.doors).toEqual({ opened: 2, closed: 2 });
  });

  test("in a way nobody expected is an answer too, and the fault goes to the log", async () => {
    const stage = stageWith({
      recall: () => {
        throw new TypeError("a secret");
      },
    });
    stage.call(1, "recall", { id: "a" });
    const told = await stage.next();
    expect([textOf(told), told.result?.isError]).toEqual(["fault: Ebb failed at this call; its log says how", true]);
    expect(stage.faults).toHaveLength(1);
    await stage.end();
  });
});
