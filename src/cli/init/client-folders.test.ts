import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type InitHome, openInitHome } from "../../../test/support/init/init-home.ts";

let home: InitHome;
beforeEach(() => {
  home = openInitHome();
});
afterEach(() => home.close());

const FOLDERS = [
  ["claude", "CLAUDE_CONFIG_DIR", "settings.json", null],
  ["codex", "CODEX_HOME", "config.toml", ".codex/config.toml"],
  ["opencode", "XDG_CONFIG_HOME", "opencode/opencode.json", ".config/opencode/opencode.json"],
  ["pi", "PI_CODING_AGENT_DIR", "models.json", ".pi/agent/models.json"],
] as const;

test.each(FOLDERS)(
  "a relative folder of %s counts from the working directory, and is kept in full",
  async (agent, name, file) => {
    const env = { [name]: "odd folder" };
    expect(await home.run(["init", agent, "--yes"], { env })).toMatchObject({ code: 0, err: "" });
    expect(home.read(`project/odd folder/${file}`)).not.toBeNull();
    const { code, err } = await home.run(["remove", agent, "--yes"]);
    expect([code, err, home.read(`project/odd folder/${file}`)]).toEqual([0, "", null]);
  },
);

test.each(FOLDERS)(
  "an empty name for the folder of %s is what the client makes of it",
  async (agent, name, _, standing) => {
    const { code, out, err } = await home.run(["init", agent, "--dry-run"], { env: { [name]: "" } });
    if (standing === null) expect([code, err]).toEqual([1, expect.stringContaining(`${name}: expected a folder`)]);
    else expect([code, out]).toEqual([0, expect.stringContaining(`+++ ${join(home.folder, standing)}`)]);
  },
);
