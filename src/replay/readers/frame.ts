import type { TokenCounter } from "../../model/ports.ts";
import type { RecordedMessage, RecordedWire } from "../recording.ts";
import { buildBody } from "./body.ts";
import { withOpening } from "./missing-start.ts";
import { type AgentWords, type StandIn, standInFor } from "./overhead.ts";

/** What one request adds to its frame. */
export interface FramedRequest {
  readonly model: string | null;
  readonly messages: readonly RecordedMessage[];
  readonly asksThinking: boolean;
}

/** Everything of a request beside its messages. */
export interface Frame {
  /** Estimated tokens of system prompt and tools where the log holds them; 0 where it does not. */
  readonly knownTokens: number;
  build(request: FramedRequest): Uint8Array;
}

/** What a log says of the frame of its requests. */
export interface FrameFacts {
  readonly sessionId: string | null;
  readonly workingDirectory: string | null;
  /** Stands in where the log holds no system prompt, or no tools. */
  readonly agent: AgentWords;
  /** The system prompt as it was sent; null where the log does not hold it. */
  readonly systemText: string | null;
  /** JSON of the tools as they were sent; null where the log does not hold them. */
  readonly toolsJson: string | null;
}

/** Begins bodies in one API format. What the log does not hold of system prompt and tools is filled up to `overheadTokens`. */
export function createFrame(
  wire: RecordedWire,
  facts: FrameFacts,
  fitted: { readonly overheadTokens: number; readonly usedTools: ReadonlySet<string> },
  counter: TokenCounter,
): Frame {
  const { systemText, toolsJson, workingDirectory } = facts;
  const toolNames = toolNamesOf(facts.agent, fitted.usedTools);
  const tools = toolsJson ?? toolsIn(wire, toolNames);
  const known = { systemText, toolsJson: tools };
  const standIn = standInFor(
    fitted.overheadTokens,
    { ...known, workingDirectory, opening: facts.agent.opening },
    counter,
  );
  const knownTokens = counter.count(systemText ?? "") + (toolsJson === null ? 0 : counter.count(toolsJson));
  return { knownTokens, build: (request) => bodyIn(wire, standIn, facts.sessionId, request) };
}

function toolNamesOf({ offeredTools }: AgentWords, used: ReadonlySet<string>): readonly string[] {
  return [...new Set([...offeredTools, ...used])].sort();
}

/** Tools of these names as the format states them. Codex takes patches as free text. */
function toolsIn(wire: RecordedWire, names: readonly string[]): string {
  const parameters = { type: "object" };
  switch (wire) {
    case "anthropic-messages":
      return JSON.stringify(names.map((name) => ({ name, input_schema: parameters })));
    case "openai-chat":
      return JSON.stringify(names.map((name) => ({ type: "function", function: { name, parameters } })));
    case "openai-responses":
      return JSON.stringify(
        names.map((name) =>
          name === "apply_patch" ? { type: "custom", name } : { type: "function", name, parameters },
        ),
      );
    case "gemini":
      return JSON.stringify([{ functionDeclarations: names.map((name) => ({ name, parameters })) }]);
  }
}

function bodyIn(wire: RecordedWire, standIn: StandIn, sessionId: string | null, request: FramedRequest): Uint8Array {
  const { model, asksThinking } = request;
  if (wire === "anthropic-messages") {
    return buildBody({ ...standIn, sessionId, isHourLong: false, asksThinking }, model, withOpening(request.messages));
  }
  return Buffer.from(textIn(wire, standIn, sessionId, request));
}

function textIn(
  wire: Exclude<RecordedWire, "anthropic-messages">,
  { systemText, toolsJson }: StandIn,
  sessionId: string | null,
  { model, messages }: FramedRequest,
): string {
  const named = model === null ? [] : [`"model":${JSON.stringify(model)}`];
  const system = JSON.stringify(systemText);
  const tools = `"tools":${toolsJson}`;
  const cached = sessionId === null ? [] : [`"prompt_cache_key":${JSON.stringify(sessionId)}`];
  switch (wire) {
    case "openai-chat": {
      const head = systemText === "" ? [] : [`{"role":"system","content":${system}}`];
      const list = [...head, ...messages.map(chatMessageText)].join(",");
      return `{${[...named, '"stream":true', ...(toolsJson === "[]" ? [] : [tools]), `"messages":[${list}]`].join(",")}}`;
    }
    case "openai-responses": {
      const input = messages.flatMap(({ blocks }) => blocks.map(({ json }) => textOf(json))).join(",");
      const head = ['"stream":true', '"store":false', ...cached, `"instructions":${system}`, tools];
      return `{${[...named, ...head, `"input":[${input}]`].join(",")}}`;
    }
    case "gemini": {
      const contents = messages.map(({ role, blocks }) => {
        const parts = blocks.map(({ json }) => textOf(json)).join(",");
        return `{"role":${role === "assistant" ? '"model"' : '"user"'},"parts":[${parts}]}`;
      });
      return `{"systemInstruction":{"parts":[{"text":${system}}]},${tools},"contents":[${contents.join(",")}]}`;
    }
  }
}

/** Texts and calls of the model are members of one message; a result is a message of its own. */
function chatMessageText({ role, blocks }: RecordedMessage): string {
  const [first] = blocks;
  if (first?.kind === "result") return blocks.map(({ json }) => textOf(json)).join(",");
  const calls = blocks.flatMap((block) => (block.kind === "call" ? [textOf(block.json)] : []));
  const parts = blocks.flatMap((block) =>
    block.kind === "call" || block.kind === "thinking" ? [] : [textOf(block.json)],
  );
  const content = parts.length === 0 ? "null" : `[${parts.join(",")}]`;
  const called = calls.length === 0 ? "" : `,"tool_calls":[${calls.join(",")}]`;
  return `{"role":"${role}","content":${content}${called}}`;
}

function textOf(json: Uint8Array): string {
  return Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString("utf8");
}
