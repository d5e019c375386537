import { isTrueAt, kindOf } from "../shared/value.ts";
import type { ResponsesSource } from "./source.ts";

/** True for a request that goes on from what the provider keeps, or is answered later: the body is not all of the conversation. */
export function isHeldByProvider({ text, members }: ResponsesSource): boolean {
  const isStated = (name: string) => {
    const span = members.get(name);
    return span !== undefined && kindOf(text, span) !== "null";
  };
  return isStated("previous_response_id") || isStated("conversation") || isTrueAt(text, members.get("background"));
}
