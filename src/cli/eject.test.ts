import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runIn } from "../../test/support/command-io.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ebb-eject-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test.each([
  [[], 2, "expected a session id, or --last"],
  [["one", "--last"], 2, "expected a session id, or --last"],
  [["nobody"], 1, "unknown session: no session or lineage on record has this name"],
  [["--last"], 1, "unknown session: no conversation is on record"],
])("ebb eject %j ends with %i and says why", async (argv, code, words) => {
  const ended = await runIn(folder, ["eject", ...argv, "--data-folder", join(folder, "data")]);
  expect(ended.code).toBe(code);
  expect(ended.err).toContain(words);
});
