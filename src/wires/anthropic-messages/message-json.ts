/** What closes the first part of a parted message and what opens its second, so that both are messages of the model. */
export interface PartJson {
  readonly close: string;
  readonly open: string;
}

/** By the member of the message that comes first. */
export const PARTS: Readonly<Record<"role" | "content", PartJson>> = {
  role: { close: "]}", open: '{"role":"assistant","content":[' },
  content: { close: '],"role":"assistant"}', open: '{"content":[' },
};

/** A message of the model, of the JSON of its blocks. */
export function modelMessage(blocks: readonly string[]): string {
  return `${PARTS.role.open}${blocks.join(",")}${PARTS.role.close}`;
}

/** A message of the user, of the JSON of results. */
export function userMessage(results: readonly string[]): string {
  return `{"role":"user","content":[${results.join(",")}]}`;
}
