/** The text of a file and the mark that it may begin with. */
export interface FileText {
  readonly mark: string;
  readonly text: string;
}

const MARK = "\ufeff";

/** The bytes as UTF-8; null where they are none. */
export function textOfBytes(bytes: Uint8Array): FileText | null {
  try {
    const whole = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    const mark = whole.startsWith(MARK) ? MARK : "";
    return { mark, text: whole.slice(mark.length) };
  } catch {
    return null;
  }
}

/** The bytes of a text with the mark it began with. */
export function bytesOfText({ mark, text }: FileText): Buffer {
  return Buffer.from(mark + text);
}
