/** Finds the ends of lines in bytes that are looked through from the front to the back. */
export interface LineEnds {
  /** The first LF or CR at or after `at`; the length where there is none. `at` never goes back. */
  nextFrom(at: number): number;
}

const LF = 0x0a;
const CR = 0x0d;

/** The line ends of some bytes. Each kind is searched for once, however many lines there are of the other. */
export function createLineEnds(bytes: Buffer): LineEnds {
  let lf = -1;
  let cr = -1;
  return {
    nextFrom(at) {
      if (lf < at) lf = endFrom(bytes, LF, at);
      if (cr < at) cr = endFrom(bytes, CR, at);
      return Math.min(lf, cr);
    },
  };
}

function endFrom(bytes: Buffer, end: number, at: number): number {
  const found = bytes.indexOf(end, at);
  return found === -1 ? bytes.length : found;
}
