import { describe, expect, it } from "vitest";
import type { ToolContent } from "../../model/tool.ts";
import { resultJson } from "./result-json.ts";
import { toolsJson } from "./tools-json.ts";

const text = (words: string): ToolContent => ({ type: "text", text: words });
const image = (mimeType: string): ToolContent => ({ type: "image", data: "aGk=", mimeType });
const file = (mimeType: string): ToolContent => ({
  type: "resource",
  resource: { uri: "ebb://original/x", mimeType, blob: "aGk=" },
});

function contentOf(content: readonly ToolContent[], failure: string | null = null) {
  const { type, tool_use_id, ...rest } = JSON.parse(resultJson("toolu_1", { content, failure }));
  expect([type, tool_use_id]).toEqual(["tool_result", "toolu_1"]);
  return rest;
}

describe("the block that answers a call", () => {
  it("is the text alone where there is nothing else", () => {
    expect(resultJson('t"1', { content: [text(" a\n")], failure: null })).toBe(
      '{"type":"tool_result","tool_use_id":"t\\"1","content":" a\\n"}',
    );
  });

  it("shows pictures and documents as what they are", () => {
    expect(contentOf([text("a"), image("image/png"), file("application/pdf")])).toEqual({
      content: [
        { type: "text", text: "a" },
        { type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } },
        { type: "document", source: { type: "base64", media_type: "application/pdf", data: "aGk=" } },
      ],
    });
  });

  it.each([image("image/tiff"), file("application/zip")])(
    "says of what the API does not take that it is not shown",
    (part) => {
      const [, said] = contentOf([text("a"), part]).content;
      expect(said).toMatchObject({
        type: "text",
        text: expect.stringMatching(/^\[not shown: .* of type (image\/tiff|application\/zip)/),
      });
    },
  );

  it("tells a failure in words alone", () => {
    expect(contentOf([text("bad range: no")], "bad range")).toEqual({ content: "bad range: no", is_error: true });
    expect(contentOf([text("a"), image("image/png")], "fault")).toEqual({ content: "a", is_error: true });
  });

  it.each([[[]], [[text("")]], [[text(" \n")]], [[text(""), text(" ")]]])("is never empty: %j", (content) => {
    expect(contentOf(content)).toEqual({ content: "(blank)" });
  });

  it("leaves out blank texts beside others", () => {
    expect(contentOf([text(""), image("image/png"), text(" ")]).content).toHaveLength(1);
  });
});

describe("tools as the API takes them", () => {
  it("are one object each, in their order", () => {
    const inputSchema = { type: "object", properties: { id: { type: "string" } }, required: ["id"] } as const;
    const one = { name: "ebb_recall", description: 'Says "a".', inputSchema, _meta: { x: 1 } };
    const json = `{"name":"ebb_recall","description":"Says \\"a\\".","input_schema":${JSON.stringify(inputSchema)}}`;
    expect(toolsJson([one])).toBe(json);
    expect(toolsJson([one, { ...one, name: "b" }])).toBe(`${json},${json.replace("ebb_recall", "b")}`);
    expect(toolsJson([])).toBe("");
  });
});
