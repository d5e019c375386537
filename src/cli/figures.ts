import type { RegretFigures } from "../keeper/contract.ts";

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];

/** A count of bytes for people. */
export function byteWords(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit]}`;
}

/** A count of things: `noun` in the singular takes an `s` for all counts but one. */
export function amountWords(count: number, noun: string): string {
  return `${countWords(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** Releases that were missed, by how that showed. */
export function regretWords({ strict, use, induced }: RegretFigures): string {
  return `${countWords(strict)} strict, ${countWords(use)} use, ${countWords(induced)} induced`;
}

/** A whole number for people, in groups of three. */
export function countWords(count: number): string {
  return String(count).replaceAll(/\B(?=(\d{3})+$)/g, ",");
}
