import type { Restoration } from "../model/decision.ts";
import type { View } from "../model/view.ts";

/**
 * Items to put back because the model signs its thinking over what was sent before it, and they left behind a thinking
 * block while another model, which does not, was in use. The signatures hold only over the originals.
 */
export function boundRestorations(view: View): readonly Restoration[] {
  // A provider that drops what does not fit is not to be pleased once more.
  const isDropping = view.thinkingWay?.kind === "drop" && view.thinkingWay.isOn;
  if (view.model.thinkingBinding !== "prefix" || isDropping) return [];
  const { step, turn } = view.clock;
  return view.transcript.items.flatMap((item) => {
    const standing = view.standingOf(item.key);
    if (standing.state !== "released" || standing.decision.thinkingBehind === null) return [];
    if (view.thinkingBehind(item) !== standing.decision.thinkingBehind) return [];
    const { address } = standing.decision;
    return [{ itemKey: item.key, address, moment: "prefix-broken", step, turn }];
  });
}
