import { sha256Hex } from "../../lib/hash.ts";
import type { AgentClient, ClientPlan, ClientWhere, Scope, WantedFile } from "./client.ts";
import { type ClientFile, readClientFile, refusal, refuseUnwritable } from "./client-file.ts";
import { type Exchange, missingFolders } from "./file-exchange.ts";
import { bytesOfText, type FileText, textOfBytes } from "./file-text.ts";
import { holdsWanted, putWanted } from "./put-wanted.ts";
import { type FileRecord, type InitRecord, readBackup, recordName, recordOf } from "./record.ts";
import type { RouteRules } from "./route-verdict.ts";
import { settledRecord } from "./settled-record.ts";
import type { Syntax } from "./syntax.ts";
import { undoneFile } from "./undo-file.ts";

/** What `ebb init` is to do, before anything is done. */
export interface InitPlan {
  readonly exchanges: readonly Exchange[];
  /** Lines that say why nothing may be done; empty where all may. */
  readonly refusals: readonly string[];
  readonly notes: readonly string[];
  /** Requests of the agent then need the proxy. */
  readonly isRouted: boolean;
  /** The record from before; null where there was none. */
  readonly known: InitRecord | null;
  readonly record: InitRecord;
  readonly backups: ReadonlyMap<string, Buffer>;
}

/** What the plan goes by. */
export interface InitParts {
  readonly client: AgentClient;
  readonly where: Pick<ClientWhere, "place" | "scope" | "own" | "upstream">;
  readonly rules: RouteRules;
  readonly dataFolder: string;
  readonly records: readonly InitRecord[];
}

const USER_MODE = 0o600;
const PROJECT_MODE = 0o644;

/** Works out every file of a client. Throws `input_invalid` for one that cannot be worked on. */
export function planInit({ client, where, rules, dataFolder, records }: InitParts): InitPlan {
  const { scope } = where;
  const plan = clientPlan(client, where);
  const paths = plan.files.map((file) => file.path);
  const known = recordOf(records, client.name, scope, paths);
  const recorded = known === null ? [] : settledRecord(known, dataFolder).files;
  const worked = plan.files.map((file) => {
    const record = recorded.find((one) => one.path === file.path) ?? null;
    return workedOut(file, {
      client,
      scope,
      rules,
      record,
      backup: record === null ? null : readBackup(dataFolder, record),
    });
  });
  const changed = worked.flatMap(({ change }) => (change === null ? [] : [change]));
  const fresh = changed.map((one) => one.record);
  const others = recorded.filter((old) => !fresh.some((one) => one.path === old.path));
  return {
    exchanges: changed.map((one) => one.exchange),
    refusals: worked.flatMap((one) => one.refusals),
    notes: [...worked.flatMap((one) => one.notes), ...plan.notes],
    isRouted: plan.files.some((file) => file.wanted.some((one) => one.kind === "route")),
    known,
    record: {
      version: 1,
      name: known?.name ?? recordName(client.name, scope, paths[0] ?? ""),
      agent: client.name,
      scope,
      files: [...others, ...fresh],
    },
    backups: new Map(
      changed.flatMap(({ record, before }) =>
        record.backup === null || before === null ? [] : [[record.backup, before]],
      ),
    ),
  };
}

/** The files that an agent would have changed here. */
export function pathsOf(
  client: AgentClient,
  where: Pick<ClientWhere, "place" | "scope" | "upstream">,
): readonly string[] {
  const own = { url: "", command: "", args: [] };
  return clientPlan(client, { ...where, own }).files.map((file) => file.path);
}

function clientPlan(client: AgentClient, where: InitParts["where"]): ClientPlan {
  return client.planFor({
    ...where,
    exists: (path) => readClientFile(path).found !== null,
    valuesOf: (path, syntax) => {
      const bytes = readClientFile(path).found?.bytes ?? null;
      const text = bytes === null ? null : (textOfBytes(bytes)?.text ?? null);
      return text === null || syntax.faultOf(text) !== null ? {} : syntax.valueOf(text);
    },
  });
}

interface Change {
  readonly exchange: Exchange;
  readonly record: FileRecord;
  /** Bytes of the file without what is put in; null where there is none then. */
  readonly before: Buffer | null;
}

interface Worked {
  readonly change: Change | null;
  readonly refusals: readonly string[];
  readonly notes: readonly string[];
}

interface WorkParts {
  readonly client: AgentClient;
  readonly scope: Scope;
  readonly rules: RouteRules;
  readonly record: FileRecord | null;
  readonly backup: Buffer | null;
}

function workedOut(wanted: WantedFile, parts: WorkParts): Worked {
  const { client, scope, rules, record, backup } = parts;
  const file = readClientFile(wanted.path);
  const current = validText(file, file.found?.bytes ?? null, wanted.syntax);
  if (holdsWanted(current.text, wanted)) return { change: null, refusals: [], notes: [] };
  const before =
    record === null ? (file.found?.bytes ?? null) : undoneFile(file, { record, backup, isForced: false }).bytes;
  const base = validText(file, before, wanted.syntax);
  const put = putWanted(base.text, wanted, rules);
  const after = bytesOfText({ mark: base.mark, text: put.text });
  if (put.refusals.length > 0 || file.found?.bytes.equals(after) === true) return { ...put, change: null };
  refuseUnwritable(file);
  const newMode = scope.kind === "user" ? USER_MODE : PROJECT_MODE;
  const digestBefore = before === null ? null : sha256Hex(before);
  const made: FileRecord = {
    path: wanted.path,
    syntax: wanted.syntax.name,
    backup:
      digestBefore === null
        ? null
        : `${recordName(client.name, scope, wanted.path)}-${digestBefore.slice(0, 8)}.backup`,
    digestBefore,
    digestAfter: sha256Hex(after),
    isWhole: true,
    placed: [...put.placed],
    folders: [...(record?.folders ?? []), ...missingFolders(file.target)],
  };
  const exchange = { file, bytes: after, newMode, lock: wanted.lock, folders: [] };
  return { change: { exchange, record: made, before }, refusals: [], notes: put.notes };
}

function validText(file: ClientFile, bytes: Buffer | null, syntax: Syntax): FileText {
  const read = textOfBytes(bytes ?? Buffer.alloc(0));
  if (read === null) throw refusal(file.path, "expected UTF-8");
  const fault = syntax.faultOf(read.text);
  if (fault !== null) throw refusal(`${file.path}:${fault.line}`, fault.words);
  return read;
}
