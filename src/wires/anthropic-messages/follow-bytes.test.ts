import { describe, expect, it } from "vitest";
import { readStream } from "../../../test/support/inline/client-stream.ts";
import { call, eventsOfRound, recall, streamOf, text } from "../../../test/support/inline/messages.ts";
import { play } from "../../../test/support/inline/playbook.ts";
import { ROUND_BYTES_MAX } from "./reading-blocks.ts";

const RECALL = streamOf({ blocks: [recall("toolu_1")] });

describe("bytes behind the end of a message", () => {
  const behind = ": bye\n\ndata: [DONE]\n\nevent: content_block_start\ndata: {\n\n";

  it("pass as they came, in every round", () => {
    const stream = streamOf({ blocks: [text("a")] }) + behind;
    expect(play([stream])).toMatchObject({ sent: stream, commands: ["send", "end"] });
    const { sent, commands } = play([RECALL, stream]);
    expect(sent.endsWith(behind)).toBe(true);
    expect(commands.at(-1)).toBe("end");
  });

  it("come last where the end itself had to wait, and are no part of a message that goes on", () => {
    const beside = streamOf({ blocks: [recall("toolu_1"), call("toolu_2")] });
    const { sent } = play([beside + behind]);
    expect(sent.endsWith(`event: message_stop\ndata: {"type":"message_stop"}\n\n${behind}`)).toBe(true);
    expect(play([RECALL + behind, streamOf({ blocks: [text("a")] })]).sent).not.toContain(behind);
  });

  it("wait only as far as there is room", () => {
    const comment = `: ${"a".repeat(ROUND_BYTES_MAX / 4)}\n\n`;
    const { sent, commands } = play([streamOf({ blocks: [recall("t"), call("u")] }) + comment.repeat(5)]);
    expect(sent.split(": aaa").length - 1).toBe(3);
    expect(commands.at(-1)).toBe("end");
  });
});

describe("an event that gets another number", () => {
  const numbered = (line: string) => {
    const events = eventsOfRound({ blocks: [recall("toolu_1"), text("a"), call("toolu_2")] });
    const at = events.findIndex((event) => event.includes('"type":"text","text":""'));
    const changed = (events[at] ?? "").replace(/data: (.*)\n/, line);
    return play([[...events.slice(0, at), changed, ...events.slice(at + 1)].join("")]).sent;
  };

  it("keeps every other byte", () => {
    const sent = numbered(
      'id: 7\r\ndata:  {"type" : "content_block_start","n":1.0, "index" : 1 ,"content_block":{"type":"text","text":""}}\n: c\n',
    );
    expect(sent).toContain(
      'id: 7\r\ndata:  {"type" : "content_block_start","n":1.0, "index" : 0 ,"content_block":{"type":"text","text":""}}\n: c\n\n',
    );
  });

  it("is not taken for a comment that says the same", () => {
    const sent = numbered("data: $1\n: $1\n");
    expect(readStream(sent).content).toEqual([text("a"), call("toolu_2")]);
  });

  it("is written anew where its data stands in several lines, without a name where it had none", () => {
    const lines =
      'data: {"type":"content_block_start","index":\ndata: 1,\ndata: "content_block":{"type":"text","text":""}}\n';
    expect(numbered(lines)).toContain(
      'event: content_block_start\ndata: {"type":"content_block_start","index":\ndata: 0,\ndata: "content_block":{"type":"text","text":""}}\n\n',
    );
    const unnamed = eventsOfRound({ blocks: [recall("toolu_1"), text("a"), call("t")] }).map((event) =>
      event.replace(/event: .*\n/, "").replace(/"index":(\d)/, '"index":\ndata: $1'),
    );
    const { sent } = play([unnamed.join("")]);
    expect(sent).not.toContain("event:");
    expect(readStream(sent).content).toEqual([text("a"), call("t")]);
  });
});

describe("what only looks like a call of Ebb's", () => {
  it.each([
    ["has no id", { type: "tool_use", name: "ebb_recall", input: {} }],
    ["is the provider's own to answer", { type: "mcp_tool_use", id: "m", name: "ebb_recall", input: {} }],
    ["has another name", call("toolu_1", "recall")],
  ])("passes byte for byte where it %s", (_, block) => {
    const stream = streamOf({ blocks: [block], stop: "tool_use" });
    expect(play([stream])).toMatchObject({ sent: stream, commands: ["send", "end"] });
  });
});
