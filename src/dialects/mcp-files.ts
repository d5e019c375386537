import type { CallItem } from "../model/item.ts";
import type { Dialect } from "../model/ports.ts";
import { isMcpFileInput, MCP_FILE_TOOLS } from "./mcp-files/tools.ts";
import { acquisitionOf, type Tool } from "./tools/tool.ts";
import { toDialect } from "./tools/tool-dialect.ts";
import { isPlainText } from "./tools/user-texts.ts";

const PREFIXED = /^mcp__(.+?)__(.+)$/;
/** Server names that say the tools are for files of this machine. */
const FILE_SERVER = /(?:^|[-_])(?:filesystem|file-system|fs|files)(?:[-_]|$)/i;
const OWN_TOOLS = ["read_text_file", "read_multiple_files", "write_file", "edit_file", "move_file", "directory_tree"];
const OWN_TOOLS_MIN = 4;

/** A program whose file tools are those of the filesystem server of the Model Context Protocol. */
export function createMcpFilesDialect(): Dialect {
  return toDialect({
    name: "mcp-files",
    toolOf: (name) => MCP_FILE_TOOLS.get(bareName(name)),
    recognises: ({ toolNames }) => {
      const bare = new Set(toolNames.map(bareName));
      return OWN_TOOLS.filter((name) => bare.has(name)).length >= OWN_TOOLS_MIN;
    },
    isTyped: isPlainText,
    isSummary: () => false,
    workingDirectoryOf: () => null,
  });
}

/** The dialect of an agent that also calls such a server by `mcp__SERVER__TOOL`, the server being named for files. */
export function withMcpFiles(dialect: Dialect): Dialect {
  return {
    ...dialect,
    acquire: (call, result, text, shell) => {
      const tool = servedTool(call);
      return tool === null
        ? dialect.acquire(call, result, text, shell)
        : acquisitionOf(tool, call, result, { text, shell });
    },
    changeText: (call, text) => {
      const tool = servedTool(call);
      return tool === null ? dialect.changeText(call, text) : (tool.changeText?.(call.input, text) ?? null);
    },
  };
}

function bareName(name: string): string {
  return PREFIXED.exec(name)?.[2] ?? name;
}

function servedTool({ name, input }: CallItem): Tool | null {
  const [, server, tool] = PREFIXED.exec(name) ?? [];
  if (server === undefined || tool === undefined || !FILE_SERVER.test(server)) return null;
  return isMcpFileInput(tool, input) ? (MCP_FILE_TOOLS.get(tool) ?? null) : null;
}
