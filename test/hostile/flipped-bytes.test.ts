import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { EbbError } from "../../src/lib/ebb-error.ts";
import { resultIn } from "../support/keeper.ts";
import { type FakeUpstream, startUpstream } from "../support/proxy/fake-upstream.ts";
import { type System, startSystem } from "./support/system.ts";
import { pageResult, pagesBody, refusalIn } from "./support/talks.ts";

const FLIPS = 240;
const SESSION = ["X-Claude-Code-Session-Id", "s1"];

/** What became of a session on a store with one wrong byte. */
type Fate = "refused at start" | "told to try again" | "went on";

test("one wrong byte in the store never changes what a session was sent, nor what it recalls", async () => {
  const scratch = mkdtempSync(join(tmpdir(), "ebb-hostile-"));
  const upstream = await startUpstream();
  const { bytes, markers } = await recordSession(upstream, join(scratch, "sound"));
  const fates = new Map<Fate, number>();
  for (let number = 0; number < FLIPS; number++) {
    const at = Math.floor((bytes.length / FLIPS) * number) + ((number * 7919) % Math.floor(bytes.length / FLIPS));
    if (bytes[at] === 0) continue;
    const damaged = Buffer.from(bytes.map((byte, index) => (index === at ? byte ^ 0x10 : byte)));
    const dataFolder = join(scratch, `flip-${number}`);
    mkdirSync(dataFolder, { mode: 0o700 });
    writeFileSync(join(dataFolder, "ebb.sqlite"), damaged, { mode: 0o600 });
    const fate = await fateOf(upstream, dataFolder, markers);
    fates.set(fate, (fates.get(fate) ?? 0) + 1);
  }
  for (const fate of ["refused at start", "told to try again", "went on"] as const) {
    expect(fates.get(fate), fate).toBeGreaterThan(3);
  }
  await upstream.close();
  rmSync(scratch, { recursive: true });
});

interface Recorded {
  readonly bytes: Buffer;
  /** Of pages a and b. */
  readonly markers: readonly unknown[];
}

async function recordSession(upstream: FakeUpstream, dataFolder: string): Promise<Recorded> {
  const system = await startSystem({ upstream: upstream.url, dataFolder });
  await system.post(pagesBody("a"), SESSION);
  await system.post(pagesBody("a", "b"), SESSION);
  await system.close();
  const markers = lastResults(upstream);
  for (const marker of markers) expect(marker).toContain("[ebb ");
  return { bytes: readFileSync(join(dataFolder, "ebb.sqlite")), markers };
}

async function fateOf(upstream: FakeUpstream, dataFolder: string, markers: readonly unknown[]): Promise<Fate> {
  const system = await startSystem({ upstream: upstream.url, dataFolder }).catch((error: unknown) => error);
  if (system instanceof EbbError) {
    expect(system.code).toMatch(/^store_(?:corrupt|failed)$/);
    return "refused at start";
  }
  if (!isSystem(system)) throw system;
  try {
    const got = await system.post(pagesBody("a", "b", "c"), SESSION);
    const recalled = await system.ask("/recall/a?raw");
    if (recalled.status === 200) expect(recalled.body.toString()).toBe(pageResult("a"));
    expect(system.logText()).not.toContain("something long enough");
    expect(got.body.toString()).not.toContain("something long enough");
    if (got.status === 200) {
      expect(lastResults(upstream)).toEqual(markers);
      return "went on";
    }
    expect([got.status, refusalIn(got)]).toEqual([503, expect.stringContaining("the store")]);
    expect((await system.stats()).errors).toContainEqual(expect.objectContaining({ code: "store_corrupt" }));
    return "told to try again";
  } finally {
    await system.close();
  }
}

function isSystem(value: unknown): value is System {
  return typeof value === "object" && value !== null && "port" in value;
}

function lastResults(upstream: FakeUpstream): readonly unknown[] {
  const body = upstream.received.at(-1)?.body.toString() ?? '{"messages":[]}';
  return ["a", "b"].map((id) => resultIn(body, id));
}
