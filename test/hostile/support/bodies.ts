/** Bytes of a text, one a character: any byte can be written. */
export function latin(text: string): Buffer {
  return Buffer.from(text, "latin1");
}

/** A Messages request with this JSON as its messages; `more` members stand before them, each with its comma. */
export function request(messages: string, more = ""): Buffer {
  return latin(`{"model":"claude-sonnet-4-5-20250929","max_tokens":10,${more}"messages":${messages}}`);
}

/** An assistant message that calls `Read`. */
export function callOf(id: string, input: string): string {
  return `{"role":"assistant","content":[{"type":"tool_use","id":"${id}","name":"Read","input":${input}}]}`;
}

/** A user message with the result of one call; `content` is written between quotes as it is. */
export function resultOf(id: string, content: string): string {
  return `{"role":"user","content":[{"type":"tool_result","tool_use_id":"${id}","content":"${content}"}]}`;
}

/** User and assistant in turn. */
export function turns(count: number): string {
  const messages = Array.from(
    { length: count },
    (_, index) => `{"role":"${index % 2 === 0 ? "user" : "assistant"}","content":"message ${index}"}`,
  );
  return `[${messages}]`;
}

export function deepArray(depth: number): string {
  return "[".repeat(depth) + "]".repeat(depth);
}

export function deepObject(depth: number): string {
  return `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
}
