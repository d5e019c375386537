import { endOf, type Following, type OpenedRound, openFirst } from "./following.ts";
import { report, type SentBody } from "./forwarding.ts";
import { ROUNDS_MAX } from "./limits.ts";
import type { RelayEnd } from "./relay.ts";
import { type Forward, isReadable, isStream, type TakenResponse } from "./round.ts";
import { followStream } from "./streamed-rounds.ts";
import { followWhole } from "./whole-rounds.ts";

/**
 * Carries an exchange whose request offers tools of Ebb's own: the model's calls of them are answered before the client sees
 * them, and the provider is asked again for what comes behind. A response that cannot be followed goes to the client as it comes.
 * Each request sent is watched, and its end told to the keeper once.
 */
export async function followRounds(following: Following, prepared: Forward, sent: SentBody): Promise<void> {
  const { desk, exchange, tally } = following;
  const round = await openFirst(following, prepared, sent, isReadable);
  const end = round.taken === null ? await endOf(following, round) : await follow(following, round, round.taken);
  report(
    desk,
    exchange,
    { ...end, bytes: tally.bytes },
    { body: sent.kind, rounds: tally.rounds, round_status: tally.lastStatus },
  );
  if (round.taken === null) await round.watch.finish(end);
}

function follow(following: Following, round: OpenedRound, taken: TakenResponse): Promise<RelayEnd> {
  const isStreaming = isStream(taken.head.headers);
  const { toolNames } = following.inline;
  const machine = following.inlineWire.follow({ toolNames, isStreaming, roundsMax: ROUNDS_MAX });
  return isStreaming ? followStream(following, machine, round, taken) : followWhole(following, machine, round, taken);
}
