import { labelText } from "../engine/marker.ts";
import type { RequestPlan } from "../keeper/contract.ts";
import type { Item } from "../model/item.ts";
import type { ReplayedRequest } from "./replay.ts";

const WHAT_CHARS = 60;

/** One request's plan as text, one line an item: the golden format. */
export function inspectLines(request: ReplayedRequest): readonly string[] {
  const { plan } = request;
  const head = `request ${request.number}  ${new Date(request.atMs).toISOString()}  ${request.context.kind}`;
  if (plan === null) return [`${head}  not planned: ${request.problem ?? "unknown"}`];
  const place = `lineage ${plan.lineage}  turn ${plan.turn}  step ${plan.step}  sent before ${plan.sentItems} of ${plan.transcript.items.length} items`;
  return [head, place, ...plan.transcript.items.map((item, index) => itemLine(item, index, plan))];
}

function itemLine(item: Item, index: number, plan: RequestPlan): string {
  const columns = [
    String(index).padStart(4),
    item.role.padEnd(9),
    item.kind.padEnd(8),
    String(plan.tokensOf(item)).padStart(7),
    standingText(item, plan),
    whatText(item, plan),
  ];
  return columns.join("  ").trimEnd();
}

function standingText(item: Item, plan: RequestPlan): string {
  const decision = plan.inForce.find((one) => one.itemKey === item.key);
  if (decision !== undefined) {
    const isNew = plan.fresh.includes(decision) ? "released now" : "released";
    return `${isNew} ${decision.address} ${decision.reason} (${decision.moment})`;
  }
  const decline = plan.declines.find((one) => one.itemKey === item.key);
  return decline === undefined ? "held" : `held ${decline.reason}`;
}

function whatText(item: Item, plan: RequestPlan): string {
  switch (item.kind) {
    case "result":
    case "media":
      return labelText(plan.labelOf(item.key)).slice(0, WHAT_CHARS);
    case "call":
      return item.name;
    case "opaque":
      return item.type;
    case "text":
    case "thinking":
      return "";
  }
}
