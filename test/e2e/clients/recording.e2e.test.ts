import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { type ClientName, ensureClient } from "../../support/clients.ts";
import { record } from "../../support/recording/record.ts";
import { save } from "../../support/recording/save.ts";
import { SITUATIONS } from "../../support/recording/situations.ts";

/** `EBB_RECORD=claude-current [EBB_RECORD_ONLY=name,name]` records the fixtures anew; otherwise nothing runs. */
const wanted = process.env.EBB_RECORD as ClientName | undefined;
const only = process.env.EBB_RECORD_ONLY?.split(",");
const fixtures = resolve(import.meta.dirname, "../../fixtures");

describe.skipIf(wanted === undefined)("recording", () => {
  for (const situation of SITUATIONS.filter((each) => only === undefined || only.includes(each.name))) {
    test(`records ${situation.name}`, async () => {
      const client = await ensureClient(wanted ?? "claude-current");
      const recording = await record(client, situation);
      expect(recording.bodies.length).toBeGreaterThan(0);
      save(recording, fixtures);
    });
  }
});
