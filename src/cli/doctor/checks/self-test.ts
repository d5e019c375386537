import { EbbError } from "../../../lib/ebb-error.ts";
import { codeOf } from "../../failure-code.ts";
import { amountWords, byteWords } from "../../figures.ts";
import type { Check } from "../check.ts";
import { type Finding, fail, ok, warn } from "../finding.ts";
import { type TrialOutcome, tryRelease } from "../self-test/trial.ts";
import { whyNothingLeaves } from "./configuration.ts";

const AREA = "self-test";
const NAME = "release";

/** Whether a release takes effect on the wire, with this configuration. */
export const selfTestCheck: Check = {
  area: AREA,
  name: NAME,
  deadlineMs: 6_000,
  async run({ config, machine }) {
    const outcome = await trialOf(() => tryRelease(config, machine.temporaryFolder));
    return [judgeTrial(outcome, whyNothingLeaves(config))];
  },
};

type Tried = TrialOutcome | { readonly kind: "could not run"; readonly words: string };

/** What to think of a trial. `whyNothing`: why nothing can leave; null where something can. */
export function judgeTrial(outcome: Tried, whyNothing: string | null): Finding {
  switch (outcome.kind) {
    case "could not run":
      return warn(AREA, NAME, {
        words: `could not be tried: ${outcome.words}`,
        fix: "mend what is named above first; it needs a folder for temporary files (TMPDIR) and two free ports of 127.0.0.1",
      });
    case "broken":
      return fail(AREA, NAME, {
        words: outcome.words,
        fix: "`ebb proxy --mode observe` forwards every byte until this is mended; please report this line",
      });
    case "worked":
      return ok(AREA, NAME, workedWords(outcome, whyNothing));
  }
}

function workedWords(
  { released, savedBytes }: Extract<TrialOutcome, { kind: "worked" }>,
  whyNothing: string | null,
): string {
  if (released.length > 0) {
    return `${amountWords(released.length, "result")} left for markers (${byteWords(savedBytes)}), every other byte was as it was sent, each later request repeated them, and recall brought all back`;
  }
  const why = whyNothing ?? "under this configuration none of the results that were tried";
  return `nothing was to leave (${why}), and every body came through unchanged`;
}

async function trialOf(attempt: () => Promise<TrialOutcome>): Promise<Tried> {
  try {
    return await attempt();
  } catch (error) {
    if (error instanceof EbbError) return { kind: "could not run", words: error.message };
    if (error instanceof TypeError || (error instanceof DOMException && error.name === "TimeoutError")) {
      return { kind: "broken", words: `the trial's request had no answer (${error.name})` };
    }
    return { kind: "could not run", words: codeOf(error) };
  }
}
