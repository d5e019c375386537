import { describe, expect, it } from "vitest";
import { play as playWith, type Response } from "../../../test/support/inline/playbook.ts";
import { readResponse } from "../../../test/support/inline/responses-client.ts";
import {
  calls,
  eventOf,
  eventsOfResponse,
  reasoned,
  recalls,
  responseStream,
  said,
} from "../../../test/support/inline/responses-rounds.ts";
import type { JsonObject } from "../../model/json.ts";
import type { FollowOptions } from "../../model/ports.ts";
import { createOpenaiResponses } from "./index.ts";
import { markOfJson } from "./marks.ts";
import { ROUND_BYTES_MAX, ROUND_ITEMS_MAX } from "./reading-items.ts";

const play = (responses: readonly Response[], options: Partial<FollowOptions> = {}) =>
  playWith(responses, options, createOpenaiResponses());
const marksOf = (...items: readonly object[]) => items.map((item) => markOfJson(JSON.stringify(item)));
const parsed = (blocks: readonly string[]) => blocks.map((json) => JSON.parse(`[${json}]`));
const FOUND = said("It is in line 40.");
const ANSWERED = responseStream({ output: [reasoned("There."), FOUND], id: "resp_2" });

describe("a stream without calls of Ebb's", () => {
  it("passes byte for byte, and its end tells what the client saw", () => {
    const output = [reasoned("Hm."), said("Reading é😀."), reasoned("And"), calls("c1"), calls("c2")];
    const stream = `: hello\n\n${responseStream({ output })}\n: bye`;
    const { sent, commands, seen } = play([stream]);
    expect(sent).toBe(stream);
    expect(commands).toEqual(["send", "end"]);
    expect(seen).toEqual(marksOf(...output));
  });

  it("passes byte for byte where a server numbers its items with gaps, and one with a call of Ebb's hides that call", () => {
    const gapped = (stream: string) => stream.replaceAll(/"output_index":(\d+)/g, '"output_index":1$1');
    const stream = gapped(responseStream({ output: [reasoned("Hm."), said("a"), calls("c1")] }));
    expect(play([stream])).toMatchObject({ sent: stream, commands: ["send", "end"] });
    const first = gapped(responseStream({ output: [said("a"), recalls("c1"), calls("c2")] }));
    const { sent, rounds } = play([first]);
    expect(rounds).toHaveLength(1);
    expect(sent).not.toContain("ebb_recall");
  });

  it("shows reasoning once it is known what follows it, at the latest at its end", () => {
    const events = eventsOfResponse({ output: [reasoned("Hm."), said("a")] });
    const at = events.findIndex((event) => event.includes("msg_1"));
    expect(play([events.slice(0, at).join("")]).sent).toBe(events.slice(0, 2).join(""));
    expect(play([events.slice(0, at + 1).join("")]).sent).toBe(events.slice(0, at + 1).join(""));
    const alone = responseStream({ output: [reasoned("Hm.")], status: "incomplete" });
    expect(play([alone])).toMatchObject({ sent: alone, commands: ["send", "end"] });
  });

  it("is cut where the response does not end, whatever came before", () => {
    const cut = eventsOfResponse({ output: [said("a")] })
      .slice(0, -1)
      .join("");
    expect(play([cut])).toEqual({ sent: cut, commands: ["send", "cut"], rounds: [], seen: null });
    expect(play([""]).commands).toEqual(["cut"]);
    expect(play([`${cut}event: response.comp`]).sent).toBe(`${cut}event: response.comp`);
  });

  it.each(["failed", "incomplete"])("ends where it %s", (status) => {
    const stream = responseStream({ output: [said("a")], status });
    expect(play([stream])).toMatchObject({ sent: stream, commands: ["send", "end"] });
  });

  it("passes an error of the provider as it came, and is cut there", () => {
    const [start = ""] = eventsOfResponse({ output: [] });
    const error = eventOf({ type: "error", code: "server_error", message: "m", param: null, sequence_number: 1 });
    expect(play([start + error])).toMatchObject({ sent: start + error, commands: ["send", "cut"] });
  });
});

describe("a call of Ebb's in a stream", () => {
  it("gets an id of its own where another call of the response has its id", () => {
    const { rounds } = play([responseStream({ output: [recalls("c1"), recalls("c1"), calls("c2"), recalls("c2")] })]);
    const [{ blocks, calls: own } = { blocks: [], calls: [] }] = rounds;
    const ids = parsed(blocks).map(([item]) => item.call_id);
    expect(new Set(ids).size).toBe(4);
    expect(ids.filter((id) => id !== "c2")).toEqual(own.map(({ id }) => id));
    expect(own[0]?.id).toBe("c1");
  });

  it("is counted behind what the provider did by itself, which is told by its kind", () => {
    const search = { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "q" } };
    const { rounds } = play([responseStream({ output: [search, recalls("c1")] }), ANSWERED]);
    expect(rounds[0]).toMatchObject({ seen: ["kind:web_search_call"], calls: [{ id: "c1", seenBefore: 1 }] });
    expect(marksOf({ type: "web_search_call" }, { type: "item_reference", id: "x" })).toEqual([
      ...marksOf(search),
      null,
    ]);
  });

  it("that comes first is never seen, nor what was thought in front of it", () => {
    const first = responseStream({ output: [reasoned("Look."), recalls("c1")] });
    const { sent, commands, rounds, seen } = play([first, ANSWERED]);
    expect(commands).toEqual(["send", "answer", "send", "end"]);
    const { items, response } = readResponse(sent);
    expect(items).toEqual([reasoned("There."), FOUND]);
    expect(response).toMatchObject({ id: "resp_1", created_at: 1, output: items, status: "completed" });
    const [{ blocks, ...round } = { blocks: [] }] = rounds;
    expect(parsed(blocks)).toEqual([[reasoned("Look."), recalls("c1")]]);
    expect(round).toEqual({
      place: "round",
      calls: [{ blockIndex: 0, id: "c1", name: "ebb_recall", input: { id: "c1" }, seenBefore: 0 }],
      seen: [],
      seenStart: 0,
    });
    expect(seen).toEqual(marksOf(reasoned("There."), FOUND));
    expect(sent).not.toContain("ebb_recall");
  });

  it("holds back its own item alone: all in front of it is sent before it ends", () => {
    const output = [reasoned("Look."), said("Let me look again."), recalls("c1")];
    const events = eventsOfResponse({ output });
    const at = events.findIndex((event) => event.includes("function_call"));
    const { sent, rounds } = play([events.slice(0, at + 2).join("")]);
    expect(sent).toBe(events.slice(0, at).join(""));
    expect(rounds).toEqual([]);
    const whole = play([events.join(""), ANSWERED]);
    expect(whole.sent.startsWith(sent)).toBe(true);
    const content = [...output.slice(0, 2), reasoned("There."), FOUND];
    expect(readResponse(whole.sent).items).toEqual(content);
    expect(readResponse(whole.sent).response.output).toEqual(content);
    expect(parsed(whole.rounds[0]?.blocks ?? [])).toEqual(output.map((item) => [item]));
    expect(whole.rounds[0]).toMatchObject({ calls: [{ blockIndex: 2, seenBefore: 2 }], seenStart: 0 });
    expect(whole.seen).toEqual(marksOf(...content));
  });

  it("may be two, with a text between, and each keeps its reasoning", () => {
    const output = [
      reasoned("a"),
      recalls("c1"),
      reasoned("b"),
      said("And"),
      reasoned("c"),
      recalls("c2"),
      recalls("c3"),
    ];
    const { sent, rounds } = play([responseStream({ output }), ANSWERED]);
    expect(readResponse(sent).items).toEqual([reasoned("b"), said("And"), reasoned("There."), FOUND]);
    expect(parsed(rounds[0]?.blocks ?? [])).toEqual([
      [reasoned("a"), recalls("c1")],
      [reasoned("b")],
      [said("And")],
      [reasoned("c"), recalls("c2")],
      [recalls("c3")],
    ]);
    expect(rounds[0]?.calls.map(({ blockIndex, seenBefore }) => [blockIndex, seenBefore])).toEqual([
      [0, 0],
      [3, 2],
      [4, 2],
    ]);
  });

  it("brings no reasoning that the provider does not keep", () => {
    const { encrypted_content: _sealed, ...plain } = reasoned("a");
    const { sent, rounds, seen } = play([responseStream({ output: [plain, recalls("c1")] }), ANSWERED]);
    expect(parsed(rounds[0]?.blocks ?? [])).toEqual([[recalls("c1")]]);
    expect(readResponse(sent).items).toEqual([reasoned("There."), FOUND]);
    const shown = play([responseStream({ output: [plain, said("x"), recalls("c1")] }), ANSWERED]);
    expect(parsed(shown.rounds[0]?.blocks ?? [])).toEqual([[said("x")], [recalls("c1")]]);
    expect(seen).toHaveLength(2);
  });

  it("tells the usage of the last round's input and of all output", () => {
    const usageOf = (input_tokens: number, output_tokens: number) => ({
      input_tokens,
      input_tokens_details: { cached_tokens: 1 },
      output_tokens,
      output_tokens_details: { reasoning_tokens: output_tokens - 1 },
      total_tokens: input_tokens + output_tokens,
    });
    const first = responseStream({ output: [recalls("c1")], usage: usageOf(100, 10) });
    const second = responseStream({ output: [recalls("c2")], usage: usageOf(200, 20), id: "resp_2" });
    const third = responseStream({ output: [FOUND], usage: usageOf(300, 30), id: "resp_3" });
    expect(readResponse(play([first, second, third]).sent).response.usage).toEqual({
      input_tokens: 300,
      input_tokens_details: { cached_tokens: 1 },
      output_tokens: 60,
      output_tokens_details: { reasoning_tokens: 57 },
      total_tokens: 360,
    });
  });

  it("leaves an end that repeats no items as it is", () => {
    const first = responseStream({ output: [said("a"), recalls("c1")], isEndBare: true });
    const { sent } = play([first, responseStream({ output: [FOUND], id: "resp_2", isEndBare: true })]);
    expect(readResponse(sent)).toMatchObject({ items: [said("a"), FOUND], response: { id: "resp_1", output: [] } });
  });

  it("passes what the provider sends between its events", () => {
    const events = eventsOfResponse({ output: [recalls("c1")] });
    const between = 'event: keepalive\ndata: {"type":"keepalive"}\n\n: c\n\n';
    const { sent } = play([events.join(between), ANSWERED]);
    expect(sent.split(between).length).toBeGreaterThan(events.length - 2);
    expect(readResponse(sent).items).toEqual([reasoned("There."), FOUND]);
  });

  it("without arguments, or with broken ones, is told as it is", () => {
    const output = ["", " ", '{"id": 1.0,', "[1]"].map((told, index) => ({ ...recalls(`c${index}`), arguments: told }));
    const { rounds } = play([responseStream({ output }), ANSWERED]);
    expect(rounds[0]?.calls.map(({ input }) => input)).toEqual([{}, {}, null, [1]]);
    expect(parsed(rounds[0]?.blocks ?? [])).toEqual(output.map((item) => [item]));
  });

  it("that is not whole is left out of a response that ended too soon", () => {
    const output = [said("a"), reasoned("b"), recalls("c1")];
    const { sent, commands, rounds } = play([responseStream({ output, status: "incomplete" })]);
    expect(commands).toEqual(["send", "end"]);
    expect(rounds).toEqual([]);
    expect(readResponse(sent)).toMatchObject({
      items: [said("a")],
      response: { status: "incomplete", output: [said("a")] },
    });
  });

  it("behind the last round that is answered is the client's, and nothing waits any more", () => {
    const again = (id: string) => responseStream({ output: [reasoned(id), recalls(id)], id: `resp_${id.slice(1)}` });
    const events = eventsOfResponse({ output: [reasoned("c3"), recalls("c3")] });
    const { sent, rounds } = play([again("c1"), again("c2"), again("c3")], { roundsMax: 2 });
    expect(rounds).toHaveLength(2);
    expect(readResponse(sent).items).toEqual([reasoned("c3"), recalls("c3")]);
    const begun = play([again("c1"), again("c2"), events.slice(0, 4).join("")], { roundsMax: 2 });
    expect(begun.sent).toContain("rs_c3");
  });
});

describe("a call of Ebb's beside the client's own", () => {
  const output = [reasoned("a"), recalls("c1"), calls("c2"), reasoned("b"), recalls("c3"), calls("c4")];

  it("leaves the client its own calls and what was thought in front of them", () => {
    const { sent, commands, rounds, seen } = play([responseStream({ output })]);
    const content = [reasoned("a"), calls("c2"), reasoned("b"), calls("c4")];
    expect(commands).toEqual(["send", "answer", "send", "end"]);
    expect(readResponse(sent)).toMatchObject({ items: content, response: { output: content } });
    expect(parsed(rounds[0]?.blocks ?? [])).toEqual(output.map((item) => [item]));
    expect(rounds[0]).toMatchObject({ place: "beside", calls: [{ seenBefore: 1 }, { seenBefore: 3 }] });
    expect(seen).toEqual(marksOf(...content));
  });

  it("does not end before the answers are recorded", () => {
    const { sent, commands } = play([responseStream({ output }), { unanswered: "" }]);
    expect(commands).toEqual(["send", "answer", "send", "cut"]);
    expect(sent).not.toContain("response.completed");
  });

  it("is a round where the provider answered the other calls itself", () => {
    const search = { type: "web_search_call", id: "ws_1", status: "completed" };
    const hosted = [
      { type: "shell_call", call_id: "h1" },
      { type: "shell_call_output", call_id: "h1", output: [] },
    ];
    const { rounds } = play([responseStream({ output: [search, ...hosted, recalls("c1")] }), ANSWERED]);
    expect(rounds[0]?.place).toBe("round");
    const asked = { type: "mcp_approval_request", id: "mcpr_1", name: "x", arguments: "{}" };
    expect(play([responseStream({ output: [asked, recalls("c1")] })]).rounds[0]?.place).toBe("beside");
  });
});

describe("a stream of a server that tells less", () => {
  const bare = (output: readonly JsonObject[], id: string, keep: RegExp) =>
    eventsOfResponse({ output, id })
      .filter((event) => keep.test(event))
      .map((event) => event.replace(/,"sequence_number":\d+/, ""))
      .join("");

  it("is followed where it tells items whole, and numbers nothing", () => {
    const keep = /response\.(?:created|output_item\.done|completed)/;
    const { sent, rounds } = play([
      bare([said("a"), reasoned("b"), recalls("c1")], "resp_1", keep),
      bare([FOUND], "resp_2", keep),
    ]);
    expect(rounds[0]?.calls).toMatchObject([{ id: "c1", input: { id: "c1" } }]);
    expect(sent).not.toMatch(/ebb_recall|sequence_number/);
    const told = sent
      .split("\n\n")
      .flatMap((event) => (event === "" ? [] : [JSON.parse(event.slice(event.indexOf("{")))]));
    expect(told.map(({ type, output_index }) => [type, output_index])).toEqual([
      ["response.created", undefined],
      ["response.output_item.done", 0],
      ["response.output_item.done", 1],
      ["response.completed", undefined],
    ]);
    expect(told[3].response).toMatchObject({ id: "resp_1", output: [said("a"), FOUND] });
  });

  it("is followed where it begins with its first item", () => {
    const keep = /response\.(?:output|function|reasoning|completed)/;
    const { sent, commands } = play([bare([recalls("c1")], "resp_1", keep), bare([FOUND], "resp_2", keep)]);
    expect(commands).toEqual(["answer", "send", "end"]);
    expect(sent).toContain("It is in line 40.");
  });
});

describe("a call of a tool in a namespace", () => {
  it("is none of Ebb's, whatever its name", () => {
    const stream = responseStream({ output: [{ ...recalls("c1"), namespace: "other" }] });
    expect(play([stream])).toMatchObject({ sent: stream, rounds: [] });
  });
});

describe("a round that is too large", () => {
  it("passes as it came from there on, the call included", () => {
    const long = Array.from({ length: 3 }, () => said("x".repeat(Math.ceil(ROUND_BYTES_MAX / 3))));
    const stream = responseStream({ output: [...long, reasoned("a"), recalls("c1")], isEndBare: true });
    const { sent, rounds, commands } = play([stream]);
    expect(sent === stream).toBe(true);
    expect([rounds, commands.at(-1)]).toEqual([[], "end"]);
  });

  it("has no more items than are kept", () => {
    const items = Array.from({ length: ROUND_ITEMS_MAX }, (_, index) => ({ ...said("a"), id: `msg_${index}` }));
    const some = responseStream({ output: [...items.slice(1), recalls("c1")] });
    expect(play([some, ANSWERED]).rounds).toHaveLength(1);
    const many = responseStream({ output: [...items, recalls("c1")] });
    const { sent, rounds } = play([many]);
    expect([sent === many, rounds]).toEqual([true, []]);
  });
});

describe("a stream that cannot be followed", () => {
  const events = eventsOfResponse({ output: [said("a"), reasoned("b"), recalls("c1")] });
  const broken = "event: response.output_item.done\ndata: {\n\n";

  it("passes as it came from there on, the call included, where nothing was altered", () => {
    const stream = [...events.slice(0, -1), broken, ...events.slice(-1)].join("");
    const { sent, commands, rounds } = play([stream]);
    expect(sent).toBe(stream);
    expect(commands).toEqual(["send", "end"]);
    expect(rounds).toEqual([]);
  });

  it("ends with an error that is asked again after, where the client has something else", () => {
    const { sent, commands } = play([events.join(""), broken]);
    expect(commands).toEqual(["send", "answer", "send", "cut"]);
    const last = JSON.parse(sent.slice(sent.lastIndexOf("data: ") + 6));
    expect(last).toMatchObject({ type: "error", code: "server_error" });
    expect(last.sequence_number).toBe(sent.split("event: ").length - 2);
  });

  it("tells the error of a later round in the stream, numbered", () => {
    const refused = JSON.stringify({ error: { type: "requests", code: "rate_limit_exceeded", message: "slow" } });
    const { sent, commands } = play([events.join(""), { refused }]);
    expect(commands).toEqual(["send", "answer", "send", "cut"]);
    expect(sent).toContain('"code":"rate_limit_exceeded","message":"slow"');
    expect(() => readResponse(sent)).toThrow("rate_limit_exceeded");
  });

  it("whose call was never told whole goes to the client as it came", () => {
    const without = events.filter((event) => !(event.includes("output_item.done") && event.includes("ebb_recall")));
    const bare = eventsOfResponse({ output: [], isEndBare: true }).slice(-1);
    const stream = [...without.slice(0, -1), ...bare].join("");
    expect(play([stream])).toMatchObject({ sent: stream, rounds: [] });
    expect(play([without.join(""), ANSWERED]).rounds).toHaveLength(1);
  });
});
