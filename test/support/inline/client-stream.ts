/** A block as a client has it. */
export interface ClientBlock {
  type: string;
  [member: string]: unknown;
}

/** A message as a client has it. */
export interface ClientMessage {
  readonly id: unknown;
  readonly model: unknown;
  readonly content: readonly ClientBlock[];
  readonly stop_reason: unknown;
  readonly usage: Record<string, unknown>;
}

interface ClientState {
  message: Record<string, unknown> | null;
  readonly blocks: ClientBlock[];
  input: string;
  isOpen: boolean;
  isClosing: boolean;
  isStopped: boolean;
}

interface Told {
  readonly type: string;
  readonly index?: number;
  readonly message?: Record<string, unknown>;
  readonly content_block?: ClientBlock;
  readonly delta?: Record<string, unknown>;
  readonly usage?: Record<string, unknown>;
  readonly error?: unknown;
}

const UNKNOWN_NAMES = new Set(["ping", "odd"]);

/**
 * Reads a stream as a strict client does: one message, its blocks numbered from 0 without a gap, each whole before the next, then
 * how it ended. Throws at anything else.
 */
export function readStream(stream: string): ClientMessage {
  const state: ClientState = {
    message: null,
    blocks: [],
    input: "",
    isOpen: false,
    isClosing: false,
    isStopped: false,
  };
  for (const [name, data] of eventsIn(stream)) {
    if (UNKNOWN_NAMES.has(name)) continue;
    const told: Told = JSON.parse(data);
    if (name !== "message" && name !== told.type) throw new Error(`${name} tells ${told.type}`);
    if (state.isStopped) throw new Error(`${told.type} behind the end`);
    takeEvent(state, told);
  }
  if (!state.isStopped) throw new Error("the message does not end");
  const { id, model, stop_reason, usage } = state.message ?? {};
  return { id, model, stop_reason, usage: { ...(usage ?? {}) }, content: state.blocks };
}

function eventsIn(stream: string): readonly (readonly [string, string])[] {
  const groups = stream.split(/\r\n\r\n|\n\n|\r\r/).map((group) => group.split(/\r\n|\n|\r/));
  return groups.flatMap((lines) => {
    const valuesOf = (field: string) =>
      lines.flatMap((line) => (line.startsWith(`${field}:`) ? [line.slice(field.length + 1).replace(/^ /, "")] : []));
    const data = valuesOf("data");
    return data.length === 0 ? [] : [[valuesOf("event")[0] ?? "message", data.join("\n")] as const];
  });
}

function takeEvent(state: ClientState, told: Told): void {
  switch (told.type) {
    case "message_start":
      if (state.message !== null) throw new Error("a second message begins");
      state.message = { ...told.message };
      return;
    case "content_block_start":
    case "content_block_delta":
    case "content_block_stop":
      takeBlock(state, told);
      return;
    case "message_delta":
      if (state.message === null || state.isOpen) throw new Error("the message ends too early");
      state.isClosing = true;
      state.message = { ...state.message, ...told.delta, usage: { ...(state.message.usage ?? {}), ...told.usage } };
      return;
    case "message_stop":
      if (!state.isClosing) throw new Error("the message ends without a reason");
      state.isStopped = true;
      return;
    case "error":
      throw new Error(`error: ${JSON.stringify(told.error)}`);
  }
}

function takeBlock(state: ClientState, { type, index, content_block: opened, delta }: Told): void {
  const isStart = type === "content_block_start";
  const expected = state.blocks.length - (isStart ? 0 : 1);
  if (state.message === null || state.isClosing || state.isOpen === isStart || index !== expected) {
    throw new Error(`${type} of block ${index} does not fit`);
  }
  if (opened !== undefined) {
    state.blocks.push(structuredClone(opened));
    state.input = "";
    state.isOpen = true;
  }
  const block = state.blocks[expected];
  if (block === undefined) throw new Error(`${type} without a block`);
  if (delta !== undefined) takeDelta(state, block, delta);
  if (type !== "content_block_stop") return;
  state.isOpen = false;
  if (state.input !== "") block.input = JSON.parse(state.input);
}

function takeDelta(state: ClientState, block: ClientBlock, delta: Record<string, unknown>): void {
  const { type, ...values } = delta;
  if (type === "text_delta") block.text = `${block.text}${values.text}`;
  if (type === "thinking_delta") block.thinking = `${block.thinking}${values.thinking}`;
  if (type === "signature_delta") block.signature = values.signature;
  if (type === "input_json_delta") state.input += String(values.partial_json);
  if (type === "citations_delta") {
    block.citations = [...(Array.isArray(block.citations) ? block.citations : []), values.citation];
  }
}
