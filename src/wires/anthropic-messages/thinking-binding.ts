import { membersOf } from "../../lib/json-spans.ts";
import { kindOf, stringAt } from "../shared/value.ts";
import type { AnthropicSource } from "./source.ts";

type ThinkingField = Pick<AnthropicSource, "text" | "fields">;

/** The brace that closes a thinking parameter which is on and says nothing of its binding; null without one. */
export function bindingPlaceOf(body: ThinkingField): number | null {
  const on = thinkingThatIsOn(body);
  return on === null || on.spans.has("block_binding") ? null : on.end - 1;
}

/** True where the provider can be asked to drop thinking that does not fit, or is asked to by the client. */
export function takesDrop(body: ThinkingField): boolean {
  const on = thinkingThatIsOn(body);
  const binding = on?.spans.get("block_binding");
  if (on === null || binding === undefined) return on !== null;
  if (kindOf(body.text, binding) !== "object") return false;
  const { spans, hasDuplicates } = membersOf(body.text, binding.start);
  return !hasDuplicates && stringAt(body.text, spans.get("prefix_mismatch_behavior")) === "drop_block";
}

function thinkingThatIsOn({ text, fields: { thinking } }: ThinkingField) {
  if (thinking === null || kindOf(text, thinking) !== "object") return null;
  const { spans, hasDuplicates } = membersOf(text, thinking.start);
  const type = stringAt(text, spans.get("type"));
  return (type === "enabled" || type === "adaptive") && !hasDuplicates ? { spans, end: thinking.end } : null;
}
