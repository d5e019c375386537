import type { Check, Premises } from "./check.ts";
import { type Finding, fail, warn } from "./finding.ts";

/** All checks together end within this. */
export const EXAMINATION_MS = 9_000;

const TROUBLE = "this is a mistake in Ebb: please report it with this line";

/** Runs checks one after the other. Whatever happens in one is a finding of it; the others go on. */
export async function examine(checks: readonly Check[], premises: Premises): Promise<readonly Finding[]> {
  const { steadyMs } = premises.machine;
  const untilMs = steadyMs() + EXAMINATION_MS;
  const findings: Finding[] = [];
  for (const check of checks) {
    const leftMs = Math.min(check.deadlineMs, untilMs - steadyMs());
    findings.push(...(leftMs <= 0 ? [unanswered(check)] : await runWithin(check, premises, leftMs)));
  }
  return findings;
}

async function runWithin(check: Check, premises: Premises, leftMs: number): Promise<readonly Finding[]> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<readonly Finding[]>((resolve) => {
    timer = setTimeout(() => resolve([unanswered(check)]), leftMs);
  });
  try {
    return await Promise.race([check.run(premises), over]);
  } catch (error) {
    return [fail(check.area, check.name, { words: `the check broke off (${nameOf(error)})`, fix: TROUBLE })];
  } finally {
    clearTimeout(timer);
  }
}

function unanswered({ area, name }: Check): Finding {
  return warn(area, name, {
    words: "there was no answer in time",
    fix: "run `ebb doctor` again when the machine is quiet; a disk or a program that never answers must be freed first",
  });
}

function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  return "code" in error ? `${error.name} ${String(error.code)}` : error.name;
}
