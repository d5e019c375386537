import { type JsonNode, object } from "./json-text.ts";
import type { Shape, ToolUse } from "./moves.ts";
import type { Member, ResultPart, TalkBlock } from "./talk.ts";
import { linesOf, numbered } from "./texts.ts";

export const PATHS = ["/w/a.ts", "/w/src/größe.ts", "/w/c d.ts"] as const;
/** Other spellings of the same files, as agents use them. */
const SPELLINGS = ["/w/./a.ts", "/w/src/../src/größe.ts", "/w/c d.ts"] as const;
const COMMANDS = ["npm test", "git status && echo '/w/a.ts'", "cat <<'E'\n> /w/a.ts\nE", 'printf "%s" x'] as const;
const UNCHANGED =
  "File unchanged since last read. The content from the earlier Read tool_result in this conversation is still current — refer to that instead of re-reading.";
const REFUSED = "The user doesn't want to proceed with this tool use. The tool use was rejected.";

export interface Exchange {
  readonly call: TalkBlock;
  readonly result: TalkBlock;
}

/** The call and the result of one tool use; `version` makes contents differ from one use to the next. */
export function exchangeOf(use: ToolUse, id: string, version: number, isTabbed: boolean): Exchange {
  switch (use.tool) {
    case "read":
      return readExchange(use, id, version, isTabbed);
    case "edit":
    case "write":
      return changeExchange(use, id, version);
    case "bash": {
      const command = COMMANDS[use.command] ?? COMMANDS[0];
      const lines = linesOf(use.flavour, version, use.size).join("\n");
      const text = use.end === "recalled" ? `[ebb 0123456789ab] Read /w/a.ts\nall lines\n\n${lines}` : lines;
      const output = use.end === "failed" ? `Exit code 1\n${text}` : text;
      const run = use.end === "recalled" ? "ebb recall 0123456789ab" : command;
      return pair(id, "Bash", [["command", run]], shaped(use.shape, output), use.end === "failed");
    }
    case "unknown":
      return pair(
        id,
        "mcp__db__query",
        EXOTIC,
        shaped("string", linesOf("plain", version, use.size).join("\n")),
        false,
      );
  }
}

/** Anything a model may put into a call: numbers no double can hold, names that come twice, deep nesting. */
const EXOTIC: readonly Member[] = [
  ["big", { verbatim: "123456789012345678901234567890.10" }],
  ["tiny", { verbatim: "-1e-400" }],
  ["twice", 1],
  ["twice", "2"],
  ["\ud83d\ude00", null],
  ["deep", { verbatim: `${"[".repeat(40)}${"]".repeat(40)}` }],
];

function readExchange(
  use: Extract<ToolUse, { tool: "read" }>,
  id: string,
  version: number,
  isTabbed: boolean,
): Exchange {
  const from = use.window === 0 ? 1 : use.window * 10;
  const path = (version % 4 === 0 ? SPELLINGS : PATHS)[use.path] ?? PATHS[0];
  const window: readonly Member[] =
    use.window === 0
      ? []
      : [
          ["offset", from],
          ["limit", 60],
        ];
  const content = (): string | readonly ResultPart[] | null => {
    const text = numbered(linesOf(use.flavour, version, use.size + 1), from, isTabbed);
    switch (use.end) {
      case "ok":
        return shaped(use.shape, text);
      case "failed":
        return "<tool_use_error>File does not exist.</tool_use_error>";
      case "unchanged":
        return UNCHANGED;
      case "image":
        return [{ node: image(version) }];
      case "empty":
        return version % 2 === 0 ? "" : [];
      case "absent":
        return null;
    }
  };
  return pair(id, "Read", [["file_path", path], ...window], content(), use.end === "failed");
}

function changeExchange(use: Extract<ToolUse, { tool: "edit" | "write" }>, id: string, version: number): Exchange {
  const path = PATHS[use.path] ?? PATHS[0];
  const isEdit = use.tool === "edit";
  const body: readonly Member[] = isEdit
    ? [
        ["old_string", `old ${version}`],
        ["new_string", `new ${version} \ud83d`],
      ]
    : [["content", `written ${version}\n`]];
  const extra = use.end === "exotic" ? EXOTIC : [];
  const answer = {
    ok: `The file ${path} has been updated successfully.`,
    exotic: `The file ${path} has been updated.`,
    failed: "<tool_use_error>String to replace not found in file.</tool_use_error>",
    refused: REFUSED,
  }[use.end];
  const isError = use.end === "failed" || use.end === "refused";
  return pair(id, isEdit ? "Edit" : "Write", [["file_path", path], ...body, ...extra], answer, isError);
}

function shaped(shape: Shape, text: string): string | readonly ResultPart[] {
  const half = Math.floor(text.length / 2);
  switch (shape) {
    case "string":
    case "block":
      return text;
    case "two-blocks":
      return [text.slice(0, half), text.slice(half)];
    case "with-image":
      return [text, { node: image(text.length) }];
    case "with-unknown":
      return [text, { node: object({ type: "tool_reference", tool_name: "x" }) }];
    case "with-duplicate":
      return [{ node: { verbatim: `{"type":"text","text":"first","text":${JSON.stringify(text)}}` } }];
  }
}

/** A picture as a block of its own; some are too small for any marker to be smaller. */
export function image(version: number): JsonNode {
  const bytes = Buffer.from(`89504e470d0a1a0a0000000d49484452${PNG_REST}`, "hex");
  bytes.writeUInt32BE(version % 5 === 0 ? 8 : 640 + version, 16);
  bytes.writeUInt32BE(version % 5 === 0 ? 8 : 480, 20);
  bytes.writeUInt32BE(version, 40);
  const data = bytes.toString("base64");
  return object({ type: "image", source: object({ type: "base64", media_type: "image/png", data }) });
}

/** The rest of a header, and bytes no decoder ever sees. */
const PNG_REST = `00000000000000000806000000${"5a".repeat(700)}`;

function pair(
  id: string,
  name: string,
  input: readonly Member[],
  content: string | readonly ResultPart[] | null,
  isError: boolean,
): Exchange {
  return { call: { kind: "call", id, name, input }, result: { kind: "result", id, content, isError } };
}
