import { bodyOf, EMPTY_TALK, numbered, read, type Talk, user } from "../../support/conversation.ts";
import type { Got } from "../../support/proxy/client.ts";

/** A page of text that the small bound releases, unlike any other of another name. */
export function page(name: string): string {
  return Array.from({ length: 120 }, (_, line) => `${name}: line ${line} of something long enough to matter`).join(
    "\n",
  );
}

/** What the client sends as the result of reading a page. */
export function pageResult(name: string): string {
  return numbered(page(name));
}

/** A conversation in which pages were read one after the other, each by a call of its own name. */
export function pagesRead(...names: readonly string[]): Talk {
  return names.reduce<Talk>(
    (talk, name) => read(talk, name, `/w/${name}.txt`, page(name)),
    user(EMPTY_TALK, `look at ${names[0]}`),
  );
}

/** The body of such a conversation. */
export function pagesBody(...names: readonly string[]): Buffer {
  return Buffer.from(bodyOf(pagesRead(...names)));
}

/** Address in a marker's text; empty where there is none. */
export function addressIn(marker: unknown): string {
  return /\b[0-9a-hjkmnp-tv-z]{12}\b/.exec(String(marker))?.[0] ?? "";
}

/** Words of a refusal in the wire's own shape. */
export function refusalIn(got: Got): string {
  return String(JSON.parse(got.body.toString()).error?.message);
}
