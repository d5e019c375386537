/** Builds Anthropic Messages bodies turn by turn, as Claude Code would send them. Values in, bytes out. */
export interface Block {
  readonly type: string;
  readonly [name: string]: unknown;
}

export interface Talk {
  readonly messages: readonly { readonly role: string; readonly content: string | readonly Block[] }[];
}

export interface BodyOptions {
  readonly model?: string;
  readonly ttl?: "5m" | "1h" | null;
  readonly tools?: readonly string[];
  readonly cwd?: string;
  readonly stream?: boolean;
  readonly thinking?: Readonly<Record<string, unknown>>;
}

export const CLAUDE_TOOLS = ["Read", "Edit", "Write", "Bash", "Grep"] as const;

export const EMPTY_TALK: Talk = { messages: [] };

export function user(talk: Talk, text: string): Talk {
  return add(talk, "user", [{ type: "text", text }]);
}

export function assistant(talk: Talk, ...content: readonly Block[]): Talk {
  return add(talk, "assistant", content);
}

export function results(talk: Talk, ...content: readonly Block[]): Talk {
  return add(talk, "user", content);
}

export function text(value: string): Block {
  return { type: "text", text: value };
}

export function thinking(value: string): Block {
  return { type: "thinking", thinking: value, signature: `signed-${value}` };
}

export function call(id: string, name: string, input: Readonly<Record<string, unknown>>): Block {
  return { type: "tool_use", id, name, input };
}

export function result(id: string, content: string | readonly Block[], isError = false): Block {
  return isError
    ? { type: "tool_result", tool_use_id: id, content, is_error: true }
    : { type: "tool_result", tool_use_id: id, content };
}

/** One read as one step: the call, then its result with numbered lines. */
export function read(talk: Talk, id: string, path: string, content: string): Talk {
  const called = assistant(talk, call(id, "Read", { file_path: path }));
  return results(called, result(id, numbered(content)));
}

export function edit(talk: Talk, id: string, path: string, isError = false): Talk {
  const called = assistant(talk, call(id, "Edit", { file_path: path, old_string: "a", new_string: "b" }));
  const answer = isError
    ? "<tool_use_error>String to replace not found in file.</tool_use_error>"
    : `The file ${path} has been updated.`;
  return results(called, result(id, answer, isError));
}

export function bash(talk: Talk, id: string, command: string, output: string): Talk {
  return results(assistant(talk, call(id, "Bash", { command })), result(id, output));
}

/** `steps` steps that touch no file. */
export function idle(talk: Talk, id: string, steps: number): Talk {
  let next = talk;
  for (let step = 0; step < steps; step++) next = bash(next, `${id}_${step}`, `true ${step}`, `ok ${step}`);
  return next;
}

export function numbered(content: string, from = 1): string {
  return content
    .split("\n")
    .map((line, index) => `${String(from + index).padStart(6)}→${line}`)
    .join("\n");
}

/** The request body of a talk, with the client's breakpoints on system and on the last block. */
export function bodyOf(talk: Talk, options: BodyOptions = {}): Uint8Array {
  const ttl = options.ttl === undefined ? "5m" : options.ttl;
  const breakpoint = ttl === null ? {} : { cache_control: { type: "ephemeral", ...(ttl === "1h" ? { ttl } : {}) } };
  const messages = talk.messages.map((message, index) =>
    index === talk.messages.length - 1 ? withBreakpoint(message, breakpoint) : message,
  );
  return Buffer.from(
    JSON.stringify({
      model: options.model ?? "claude-sonnet-4-5-20250929",
      max_tokens: 32_000,
      stream: options.stream ?? true,
      ...(options.thinking === undefined ? {} : { thinking: options.thinking }),
      system: [
        { type: "text", text: `You are Claude Code.\nWorking directory: ${options.cwd ?? "/w"}\n`, ...breakpoint },
      ],
      tools: (options.tools ?? CLAUDE_TOOLS).map((name) => ({
        name,
        description: name,
        input_schema: { type: "object" },
      })),
      messages,
    }),
  );
}

function withBreakpoint(message: Talk["messages"][number], breakpoint: object) {
  if (typeof message.content === "string") return message;
  return {
    ...message,
    content: message.content.map((block, index, all) =>
      index === all.length - 1 ? { ...block, ...breakpoint } : block,
    ),
  };
}

function add(talk: Talk, role: string, content: readonly Block[]): Talk {
  return { messages: [...talk.messages, { role, content }] };
}
