import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { EbbError } from "../lib/ebb-error.ts";
import { SIZE_BOUND_DEFAULT } from "../policies/size-bound-default.ts";
import { ENDPOINTS } from "../providers/endpoints.ts";
import type { Place } from "./folders.ts";
import { resolveConfig } from "./resolve.ts";
import type { ResolvedConfig } from "./resolved.ts";

const SEED_YAML = `pipeline: [readlifecycle]
components:
  readlifecycle: { min_tokens: 100, stale: true, superseded: true, bash_edits: false, stale_at_depth: false, cold_cache: false, marker_mode: full }
`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ebb-config-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Given {
  readonly file?: string;
  readonly env?: Record<string, string>;
  readonly flags?: Record<string, string>;
  readonly configFile?: string;
}

function placeOf(env: Record<string, string> = {}): Place {
  return { env, cwd: folder, home: join(folder, "home"), platform: "linux" };
}

function resolved(given: Given): ResolvedConfig {
  if (given.file !== undefined) writeFileSync(join(folder, "ebb.yaml"), given.file);
  const values = new Map(Object.entries(given.flags ?? {}));
  return resolveConfig({ configFile: given.configFile ?? null, values }, placeOf(given.env));
}

function refusal(given: Given): string {
  try {
    resolved(given);
  } catch (error) {
    if (error instanceof EbbError && error.code === "config_invalid") return error.message;
    throw error;
  }
  throw new Error("the configuration was accepted");
}

describe("without a configuration", () => {
  test("the standard preset is in force", () => {
    const config = resolved({});
    expect(config).toMatchObject({
      file: null,
      host: "127.0.0.1",
      port: 4141,
      upstream: "https://api.anthropic.com",
      upstreams: [...ENDPOINTS],
      mode: "enforce",
      pipeline: ["sizebound", "readlifecycle"],
      sizeBound: { bound: SIZE_BOUND_DEFAULT, tools: {}, markerMode: "full" },
      readLifecycle: { minTokens: 100, coldCache: true, quietSteps: 1, staleAtDepth: false },
      retentionDays: 30,
      recallCommand: "ebb recall",
    });
    expect(config.neverStore).toContain(".env*");
  });

  test("the data folder is the user's, XDG first", () => {
    expect(resolved({}).dataFolder).toBe(join(folder, "home", ".local", "share", "ebb"));
    expect(resolved({ env: { XDG_DATA_HOME: join(folder, "xdg") } }).dataFolder).toBe(join(folder, "xdg", "ebb"));
  });
});

describe("the seed's configuration", () => {
  test("replaces the policy list and uses the seed's values; the size bound stays", () => {
    const config = resolved({ file: SEED_YAML });
    expect(config.pipeline).toEqual(["sizebound", "readlifecycle"]);
    expect(config.readLifecycle).toEqual({
      minTokens: 100,
      stale: true,
      superseded: true,
      staleAtDepth: false,
      coldCache: false,
      markerMode: "full",
      quietSteps: 0,
    });
    expect(config.bashEdits).toBe(false);
    expect(config.sizeBound?.bound).toEqual(SIZE_BOUND_DEFAULT);
  });

  test("a pipeline alone brings the seed's values too", () => {
    const config = resolved({ file: "pipeline: [readlifecycle]" });
    expect(config.readLifecycle).toMatchObject({ coldCache: false, quietSteps: 0 });
  });

  test("bound: off takes the size bound out", () => {
    const config = resolved({ file: `${SEED_YAML}bound: off\n` });
    expect(config.pipeline).toEqual(["readlifecycle"]);
    expect(config.sizeBound).toBeNull();
  });

  test("an empty pipeline leaves the size bound alone", () => {
    expect(resolved({ file: "pipeline: []" }).pipeline).toEqual(["sizebound"]);
  });

  test("component values alone adjust the preset", () => {
    const config = resolved({ file: "components: { readlifecycle: { stale: false } }" });
    expect(config.readLifecycle).toMatchObject({ stale: false, coldCache: true, quietSteps: 1 });
  });
});

describe("the size bound", () => {
  test("overrides by tool keep the default pair", () => {
    const config = resolved({ file: "bound: { tools: { Bash: { lines: 10, bytes: 20 } } }" });
    expect(config.sizeBound).toMatchObject({ bound: SIZE_BOUND_DEFAULT, tools: { Bash: { lines: 10, bytes: 20 } } });
  });

  test("is one pair: half of it is refused", () => {
    expect(refusal({ file: "bound: { lines: 4 }" })).toContain(
      "ebb.yaml:1: bound: expected lines and bytes together, or neither, got { lines: 4 }",
    );
  });

  test("comes from the environment and from a flag", () => {
    expect(resolved({ env: { EBB_BOUND: "{ lines: 7, bytes: 8 }" } }).sizeBound?.bound).toEqual({ lines: 7, bytes: 8 });
    expect(resolved({ flags: { bound: "off" } }).sizeBound).toBeNull();
  });

  test("a pipeline that names it while it is off is impossible", () => {
    expect(refusal({ file: "bound: off\npipeline: [sizebound]" })).toContain("pipeline: expected no sizebound");
  });
});

describe("look-up and precedence", () => {
  test("a named file comes before ./ebb.yaml, and that before the user's", () => {
    mkdirSync(join(folder, "home", ".config", "ebb"), { recursive: true });
    writeFileSync(join(folder, "home", ".config", "ebb", "ebb.yaml"), "port: 1");
    expect(resolved({}).port).toBe(1);
    expect(resolved({ file: "port: 2" }).port).toBe(2);
    writeFileSync(join(folder, "named.yaml"), "port: 3");
    expect(resolved({ env: { EBB_CONFIG: "named.yaml" } }).port).toBe(3);
    expect(resolved({ configFile: "named.yaml" })).toMatchObject({ port: 3, file: join(folder, "named.yaml") });
  });

  test("file, environment, flags: the later wins", () => {
    expect(resolved({ file: "port: 2" }).port).toBe(2);
    expect(resolved({ file: "port: 2", env: { EBB_PORT: "3" } }).port).toBe(3);
    expect(resolved({ file: "port: 2", env: { EBB_PORT: "3" }, flags: { port: "4" } }).port).toBe(4);
  });

  test("a relative data folder counts from the file that states it, else from the working directory", () => {
    writeFileSync(join(folder, "named.yaml"), "data_folder: kept");
    mkdirSync(join(folder, "etc"));
    writeFileSync(join(folder, "etc", "ebb.yaml"), "data_folder: kept");
    expect(resolved({ configFile: "etc/ebb.yaml" }).dataFolder).toBe(join(folder, "etc", "kept"));
    expect(resolved({ configFile: "etc/ebb.yaml", flags: { data_folder: "here" } }).dataFolder).toBe(
      join(folder, "here"),
    );
    expect(resolved({ flags: { data_folder: "~/mine" } }).dataFolder).toBe(join(folder, "home", "mine"));
  });

  test("texts of the environment become numbers, truths and lists", () => {
    const env = { EBB_READLIFECYCLE_STALE: "false", EBB_READLIFECYCLE_MIN_TOKENS: "7", EBB_NEVER_STORE: "a*, b" };
    const config = resolved({ env });
    expect(config.readLifecycle).toMatchObject({ stale: false, minTokens: 7 });
    expect(config.neverStore).toEqual(["a*", "b"]);
  });

  test("the media budget is the provider's where nothing is stated, and may be smaller or off", () => {
    expect(resolved({}).mediaBudget).toEqual({ bytesMax: null, imagesMax: null });
    const env = { EBB_MEDIA: "{ images_max: 40 }" };
    expect(resolved({ env }).mediaBudget).toEqual({ bytesMax: null, imagesMax: 40 });
    expect(resolved({ env: { EBB_MEDIA: "off" } }).mediaBudget).toBeNull();
    expect(refusal({ env: { EBB_MEDIA: "{ images_max: 0 }" } })).toContain("EBB_MEDIA: media");
  });

  test("a lifetime may be for images or documents alone", () => {
    const env = { EBB_LIFETIMES: "[{ media: image, steps: 3 }]" };
    expect(resolved({ env }).lifetimeRules).toMatchObject([{ media: "image", steps: 3, tools: null }]);
    expect(refusal({ env: { EBB_LIFETIMES: "[{ media: video, steps: 3 }]" } })).toContain("image or document");
  });

  test("a named file that is not there is refused", () => {
    expect(refusal({ configFile: "none.yaml" })).toBe(
      `${join(folder, "none.yaml")}: the configuration file cannot be read (ENOENT)`,
    );
  });
});

describe("what is refused", () => {
  test("unknown environment names, with the one probably meant; names for the tests are left alone", () => {
    expect(refusal({ env: { EBB_PROT: "3" } })).toBe("EBB_PROT: unknown name, did you mean EBB_PORT?");
    expect(resolved({ env: { EBB_TEST_SESSIONS: "x" } }).port).toBe(4141);
  });

  test("wrong values of environment and flags, by name, expectation and value", () => {
    expect(refusal({ env: { EBB_PORT: "many" }, flags: { mode: "on" } })).toBe(
      'EBB_PORT: port: expected a whole number from 0 to 65535, got "many"\n--mode: mode: expected one of enforce, observe, off, got "on"',
    );
  });

  test("an upstream that carries credentials, without showing them", () => {
    const words = refusal({ env: { EBB_UPSTREAM: "https://me:secret-word@example.com" } });
    expect(words).toContain("EBB_UPSTREAM: upstream: expected an http or https address without user name");
    expect(words).not.toContain("secret-word");
  });
});

describe("what tells configurations apart", () => {
  const digestOf = (given: Given) => resolved(given).digest;

  test("is whatever decides, paths of lifetimes among it", () => {
    const rule = (path: string) => `lifetimes: [{ paths: ["${path}"], steps: 1 }]\n`;
    expect(digestOf({ file: rule("*.log") })).toBe(digestOf({ file: rule("*.log") }));
    expect(digestOf({ file: rule("*.log") })).not.toBe(digestOf({ file: rule("*.txt") }));
    expect(digestOf({ file: "pays: false\n" })).not.toBe(digestOf({ file: "pays: true\n" }));
  });

  test("is not where a proxy listens, what it forwards to, its mode and its log", () => {
    const flags = { port: "0", host: "::1", upstream: "http://127.0.0.1:1", mode: "observe", log_level: "debug" };
    expect(digestOf({ flags })).toBe(digestOf({}));
  });

  test("an upstream is stated although it is the default one", () => {
    expect(resolved({}).isUpstreamStated).toBe(false);
    expect(resolved({ flags: { upstream: "https://api.anthropic.com" } }).isUpstreamStated).toBe(true);
    expect(resolved({ env: { EBB_UPSTREAM: "https://gateway.example" } }).isUpstreamStated).toBe(true);
  });
});
