import type { FollowOptions, InlineMachine } from "../../model/ports.ts";
import { machineOf } from "../shared/machine.ts";
import { beginStream, stepStream } from "./follow-stream.ts";
import { beginWhole, stepWhole } from "./follow-whole.ts";

/**
 * Follows the response to one request of a client, over all its rounds.
 *
 * Of a stream every piece that its reader tells is an `event`, in order; those named "" pass on as they are. `answer` is said as soon
 * as the provider's message ended, so what its response still holds, and its own `ended`, come before `answered` or `failed` or not
 * at all. Behind `answered` of a `round` comes the next response from its first event. `end` is said when the last response ended,
 * and right behind `answered` where the answers stand beside the client's calls. A response without streaming is one `whole` a round,
 * and all that is ever sent of it is one body: the client's, or an error. Behind `end` and `cut` nothing is said any more.
 */
export function followResponse(options: FollowOptions): InlineMachine {
  return options.isStreaming ? machineOf(beginStream(options), stepStream) : machineOf(beginWhole(options), stepWhole);
}
