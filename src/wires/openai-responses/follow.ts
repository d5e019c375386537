import type { FollowOptions, InlineMachine } from "../../model/ports.ts";
import { machineOf } from "../shared/machine.ts";
import { beginStream, stepStream } from "./follow-stream.ts";
import { beginWhole, stepWhole } from "./follow-whole.ts";

/**
 * Follows the response to one request of a client, over all its rounds.
 *
 * Reasoning waits until it is known what follows it: with a call of Ebb's it is no more the client's than the call. Everything else
 * passes as it comes, and where something was left out its places and numbers count on from what the client got. The client's response
 * is the first one; its end is that of the last, with the output of all of them.
 */
export function followResponse(options: FollowOptions): InlineMachine {
  return options.isStreaming ? machineOf(beginStream(options), stepStream) : machineOf(beginWhole(options), stepWhole);
}
