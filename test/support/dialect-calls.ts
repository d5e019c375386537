import { sha256Hex } from "../../src/lib/hash.ts";
import type { Acquisition, ChangeText } from "../../src/model/acquisition.ts";
import type { CallItem, ResultItem } from "../../src/model/item.ts";
import type { JsonValue } from "../../src/model/json.ts";
import type { Dialect, ShellParser } from "../../src/model/ports.ts";
import type { DialectSample } from "../../src/testing/test-dialect.ts";

/** A call as an agent makes it, with the text of its result; null: none yet. */
export interface GivenCall {
  readonly tool: string;
  readonly input: JsonValue;
  readonly text: string | null;
  readonly isError?: boolean;
}

/** A sample of the kit: the tool, its input, the text of its result and what that means. */
export function sampleOf(
  name: string,
  { tool, input, text, isError = false }: GivenCall,
  expected: DialectSample["expected"],
): DialectSample {
  return { name, tool, input, result: text === null ? null : { text, isError }, expected };
}

/** What a dialect says of a call. */
export function acquired(dialect: Dialect, given: GivenCall, shell: ShellParser | null): Acquisition {
  const result = given.text === null ? null : resultItem(given.text, given.isError ?? false);
  return dialect.acquire(callItem(given), result, given.text ?? "", shell);
}

/** The change that a call states to a dialect. */
export function stated(dialect: Dialect, given: GivenCall): ChangeText | null {
  return dialect.changeText(callItem(given), given.text ?? "");
}

function callItem({ tool, input }: GivenCall): CallItem {
  const measured = measure(JSON.stringify(input));
  return { ...measured, kind: "call", key: "call-1", role: "assistant", callId: "call-1", name: tool, input };
}

function resultItem(text: string, isError: boolean): ResultItem {
  return {
    ...measure(text),
    kind: "result",
    key: "result-1",
    role: "user",
    callId: "call-1",
    isError,
    mediaCount: 0,
    isReplaceable: true,
  };
}

function measure(text: string) {
  const bytes = Buffer.byteLength(text);
  return { digest: sha256Hex(text), bytes, lines: text.split("\n").length, messageIndex: 0, blockIndex: 0 };
}
