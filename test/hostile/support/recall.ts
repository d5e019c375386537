import { encodeWtf8 } from "../../../src/lib/wtf8.ts";
import type { System } from "./system.ts";

/** True when an item comes back whole as the bytes of its content, which is given as JSON wrote it. */
export async function recallsExactly(system: System, id: string, content: string): Promise<boolean> {
  const got = await system.ask(`/recall/${id}?raw`);
  return got.status === 200 && got.body.equals(encodeWtf8(String(JSON.parse(`"${content}"`))));
}
