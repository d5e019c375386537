// Bodies of an invented coding session that grows by one step a request: reads with numbered source, edits, shell output.

const WORDS =
  "const let function return import export await async value index result error path config options buffer".split(" ");

/** `count` + 1 bodies, the last about `bytes` long; each one appends a step to the one before. */
export function sessionBodies(bytes, count) {
  const random = seeded(7);
  const messages = [{ role: "user", content: [{ type: "text", text: "Please fix the failing test." }] }];
  let size = 0;
  let step = 0;
  const stepBytes = Math.min(8_000, Math.max(400, bytes / (count * 4)));
  while (size < bytes - stepBytes * count) size += addStep(messages, step++, stepBytes, random);
  const bodies = [encode(messages)];
  for (let round = 0; round < count; round++) {
    addStep(messages, step++, stepBytes, random);
    bodies.push(encode(messages));
  }
  return bodies;
}

function addStep(messages, step, bytes, random) {
  const path = `/work/src/file${step % 17}.ts`;
  const id = `toolu_${String(step).padStart(8, "0")}`;
  const kind = step % 5;
  const [name, input] =
    kind === 3
      ? ["Edit", { file_path: path, old_string: "a", new_string: "b" }]
      : kind === 4
        ? ["Bash", { command: `npm test -- ${step}` }]
        : ["Read", { file_path: path }];
  const content = kind === 3 ? `The file ${path} has been updated.` : text(bytes, kind !== 4, random);
  messages.push({
    role: "assistant",
    content: [
      { type: "text", text: `Step ${step}.` },
      { type: "tool_use", id, name, input },
    ],
  });
  messages.push({ role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] });
  return JSON.stringify(content).length + 200;
}

function text(bytes, isNumbered, random) {
  const lines = [];
  let size = 0;
  for (let line = 1; size < bytes; line++) {
    let code = "";
    while (code.length < 40) code += `${WORDS[Math.floor(random() * WORDS.length)]} `;
    const full = isNumbered ? `${String(line).padStart(6)}→\t${code}= "${line}";` : code;
    lines.push(full);
    size += full.length + 4;
  }
  return lines.join("\n");
}

function encode(messages) {
  const last = messages.length - 1;
  const marked = messages.map((message, index) =>
    index === last
      ? {
          ...message,
          content: message.content.map((block, at, all) =>
            at === all.length - 1 ? { ...block, cache_control: { type: "ephemeral" } } : block,
          ),
        }
      : message,
  );
  return Buffer.from(
    JSON.stringify({
      model: "claude-sonnet-4-5-20250929",
      max_tokens: 32000,
      stream: true,
      system: [
        {
          type: "text",
          text: "You are Claude Code.\nWorking directory: /work\n",
          cache_control: { type: "ephemeral" },
        },
      ],
      tools: ["Read", "Edit", "Write", "Bash"].map((name) => ({
        name,
        description: `${name} tool`,
        input_schema: { type: "object", properties: {} },
      })),
      messages: marked,
    }),
  );
}

function seeded(seed) {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}
