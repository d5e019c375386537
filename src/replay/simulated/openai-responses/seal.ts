import { createHmac } from "node:crypto";

/** No secret: the same content must come from every process. */
const KEY = "ebb simulated encrypted content";
const VERSION = "enc1";
const SEAL_CHARS = 32;

/** The encrypted content of one item, bound to the item's id. */
export function sealContent(itemId: string, text: string): string {
  const parts = [VERSION, itemId, text];
  return Buffer.from(JSON.stringify([...parts, sealOf(parts)])).toString("base64");
}

/** The id of the item that such content was made for; null where it was not made here, or was changed. */
export function openContent(content: string): string | null {
  try {
    const parts: unknown = JSON.parse(Buffer.from(content, "base64").toString("utf8"));
    if (!Array.isArray(parts) || parts.length !== 4 || parts[0] !== VERSION) return null;
    const [version = "", itemId = "", text = "", seal = ""] = parts.map(String);
    const isWhole = seal === sealOf([version, itemId, text]) && sealContent(itemId, text) === content;
    return isWhole ? itemId : null;
  } catch {
    return null;
  }
}

function sealOf(parts: readonly string[]): string {
  return createHmac("sha256", KEY).update(JSON.stringify(parts)).digest("base64url").slice(0, SEAL_CHARS);
}
