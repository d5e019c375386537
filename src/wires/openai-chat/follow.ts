import type { FollowOptions, InlineMachine } from "../../model/ports.ts";
import { machineOf } from "../shared/machine.ts";
import { beginStream, stepStream } from "./follow-stream.ts";
import { beginWhole, stepWhole } from "./follow-whole.ts";

/**
 * Follows the response to one request of a client, over all its rounds. `answer` is said once the provider's message ended: at the
 * last event of its stream, or where the stream ends without one. What the model says over the rounds is one message to the client:
 * its texts and its thinking go on, under the id of the first response, and it ends once.
 */
export function followResponse(options: FollowOptions): InlineMachine {
  return options.isStreaming ? machineOf(beginStream(options), stepStream) : machineOf(beginWhole(options), stepWhole);
}
