import type { Violation } from "./source.ts";

const MACHINE_PATH = /(?<![\w.~$}/-])\/(?:root|home|work|tmp|Users)\/[\w.-]+/;
const INVENTED_PATH =
  /\/(?:home|Users)\/(?:user|me|dev|u|someone|x|ann|person)\b|\/(?:tmp|work|root)\/(?:x|a|p|project|repo)\b/;

/** Absolute paths of a real machine in a committed text. Plainly invented ones are fine. */
export function machinePaths(path: string, text: string): readonly Violation[] {
  return text.split("\n").flatMap((line, index) => {
    const match = MACHINE_PATH.exec(line);
    if (match === null || INVENTED_PATH.test(match[0])) return [];
    return [{ path, line: index + 1, words: `${match[0]}: a path of a machine` }];
  });
}
