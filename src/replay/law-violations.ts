import type { Keeper, Prepared, RequestPlan } from "../keeper/contract.ts";
import type { Decision } from "../model/decision.ts";
import type { Item } from "../model/item.ts";
import { declaredEdits } from "./declared-edits.ts";
import type { createLawChecker } from "./law-checker.ts";
import { toWtf8 } from "./law-format.ts";
import type { Timed } from "./time-order.ts";

/** Laws that one forwarded body breaks, in words, and whether what left it in this request comes back as it was. */
export async function lawViolations(
  laws: ReturnType<typeof createLawChecker>,
  keeper: Keeper,
  prepared: Extract<Prepared, { kind: "forward" }>,
  original: Uint8Array,
  forwarded: Uint8Array,
  { atMs, wire }: Timed & { readonly wire?: string },
): Promise<readonly string[]> {
  const conversation = prepared.plan?.lineage ?? "unknown";
  const decisions = prepared.plan?.inForce ?? [];
  const checked = laws.check({
    conversation,
    ...(wire === undefined ? {} : { wire }),
    original,
    forwarded,
    declared: callIdsOf(prepared.plan, prepared.plan?.fresh ?? []),
    edits: prepared.plan === null ? [] : declaredEdits(prepared.plan.transcript, prepared.plan.edits),
    insertions: callIdsOf(
      prepared.plan,
      decisions.filter((decision) => decision.reason === "stub_repair"),
    ),
  });
  const violations = [...checked.violations];
  const fresh = new Map((prepared.plan?.fresh ?? []).map((decision) => [decision.marker, decision]));
  for (const replaced of checked.replaced) {
    const decision = fresh.get(replaced.marker);
    if (decision === undefined) continue;
    if (!(await isRecallable(keeper, decision, toWtf8(replaced.original), atMs))) {
      violations.push(`recoverable: ${decision.address} does not return the original`);
    }
  }
  for (const { marker, bytes } of checked.media) {
    const decision = fresh.get(marker);
    if (decision === undefined || (await isRecallable(keeper, decision, bytes, atMs))) continue;
    violations.push(`recoverable: ${decision.address} does not return the attachment`);
  }
  return violations;
}

function callIdsOf(plan: RequestPlan | null, decisions: readonly Decision[]): ReadonlySet<string> {
  const keys = new Set(decisions.map((decision) => decision.itemKey));
  const items = plan?.transcript.items.filter((item) => keys.has(item.key)) ?? [];
  return new Set(items.flatMap(nameOf));
}

/** Results by their call and by their original, which some bodies alone name; media as the law checker names them. */
function nameOf(item: Item): readonly string[] {
  if (item.kind === "result") return [item.callId, `result#${item.digest}`];
  return item.kind === "media" ? [`${item.callId ?? "message"}#${item.digest}`] : [];
}

async function isRecallable(keeper: Keeper, decision: Decision, original: Uint8Array, atMs: number): Promise<boolean> {
  const answer = await keeper.recall({
    tenant: "replay",
    id: decision.address,
    range: null,
    pattern: null,
    ignoreCase: false,
    chars: null,
    sessionId: null,
    by: "user",
    atMs,
  });
  return answer.ok && Buffer.from(answer.raw).equals(original);
}
