import { createHash, hash } from "node:crypto";

const CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz";
const ADDRESS_CHARS = 12;

/** SHA-256 in lower-case hexadecimal. Strings are hashed as UTF-8. */
export function sha256Hex(content: string | Uint8Array): string {
  return hash("sha256", content, "hex");
}

/** First 12 characters of lower-case Crockford base32 (no i, l, o, u) of SHA-256(key): 60 bits. */
export function addressOf(key: string): string {
  const digest = createHash("sha256").update(key).digest();
  let bits = 0;
  let width = 0;
  let text = "";
  for (const byte of digest) {
    bits = (bits << 8) | byte;
    width += 8;
    while (width >= 5 && text.length < ADDRESS_CHARS) {
      text += CROCKFORD[(bits >>> (width - 5)) & 31];
      width -= 5;
    }
    bits &= (1 << width) - 1;
    if (text.length === ADDRESS_CHARS) break;
  }
  return text;
}
