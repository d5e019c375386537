// A tool server on stdio with one tool, `answer`, whose answer has as many numbered lines as asked for.
import { createInterface } from "node:readline";

const TOOL = {
  name: "answer",
  description: "Answers with numbered lines.",
  inputSchema: { type: "object", properties: { lines: { type: "number" } }, required: ["lines"] },
};

function resultFor(message) {
  switch (message.method) {
    case "initialize":
      return {
        protocolVersion: message.params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "answering", version: "1.0.0" },
      };
    case "tools/list":
      return { tools: [TOOL] };
    case "tools/call":
      return { content: [{ type: "text", text: linesOf(message.params.arguments.lines) }] };
    default:
      return {};
  }
}

function linesOf(count) {
  return Array.from({ length: count }, (_, index) => `line ${index + 1} of the answer\n`).join("");
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.id === undefined) return;
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id: message.id, result: resultFor(message) })}\n`);
});
