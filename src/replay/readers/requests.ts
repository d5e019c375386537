import type { TokenCounter } from "../../model/ports.ts";
import type { RecordedProblem, RecordingFormat } from "../recording.ts";
import { toBodyContexts } from "./body-contexts.ts";
import { isAnswered, isEbbRecord } from "./ebb-record.ts";
import type { LineFormat, LogCollector, ReadLog, WholeFormat } from "./log-collector.ts";
import { bodiesIn, type RecordedBody } from "./request-bodies.ts";

/** Requests as they were sent, one or more a line, in any of the API formats. */
export const requestLines: LineFormat = {
  format: "requests",
  knows: (value) => isEbbRecord(value) || bodiesIn(value, new Uint8Array(), 0).length > 0,
  begin: createRequestCollector,
};

/** The same as one JSON value. */
export const wholeRequests: WholeFormat = {
  format: "requests",
  knows: (value) => bodiesIn(value, new Uint8Array(), 0).length > 0,
  read: (value, counter, source) => toLog(bodiesIn(value, source, 1), [], false, counter),
};

function createRequestCollector(counter: TokenCounter): LogCollector {
  const bodies: RecordedBody[] = [];
  const problems: RecordedProblem[] = [];
  let isEbbs = false;
  return {
    add(value, line, source) {
      if (isEbbRecord(value)) isEbbs = true;
      const found = isEbbRecord(value) && !isAnswered(value) ? [] : bodiesIn(value, source, line);
      bodies.push(...found);
      if (isEbbRecord(value)) return;
      if (found.length === 0) problems.push({ line, words: "not a request of an API format known here" });
    },
    finish: () => toLog(bodies, problems, isEbbs, counter),
  };
}

function toLog(
  bodies: readonly RecordedBody[],
  problems: readonly RecordedProblem[],
  isEbbs: boolean,
  counter: TokenCounter,
): ReadLog {
  return { format: isEbbs ? "ebb-recording" : formatOf(bodies), contexts: toBodyContexts(bodies, counter), problems };
}

function formatOf(bodies: readonly RecordedBody[]): RecordingFormat {
  const wires = [...new Set(bodies.map(({ wire }) => wire))];
  const [only] = wires;
  return wires.length === 1 && only !== undefined ? only : "requests";
}
