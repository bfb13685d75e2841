// A plugin that says a key wherever a plugin can say something.

import { appendFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const keys = () => [process.env.LEAKED_API_KEY, process.env.PLAIN_TOKEN];
const all = () => keys().join(' ');
const inJson = () => JSON.stringify({ nested: JSON.stringify(keys()) });
const encoded = () =>
  keys().map((key) => `${encodeURIComponent(key)} ${Buffer.from(`u:${key}`).toString('base64')}`);

const answers = {
  replies: () => `The key is ${all()}, or ${inJson()}, or ${encoded()}`,
  throws: () => {
    throw Object.assign(new Error(`401 with ${all()}`), {
      statusCode: 400,
      cause: new Error(`header x-api-key: ${all()}`),
    });
  },
  reports: (call) => {
    for (const character of `piece by piece: ${all()} `)
      call.report({ kind: 'text', channel: 'response', text: character });
    call.report({ kind: 'tool_call_started', call_id: '1', tool: 'env', input: { [all()]: [all()] } });
    call.report({
      kind: 'tool_call_completed',
      call_id: '1',
      tool: 'env',
      success: true,
      output: `x`.repeat(1990) + all(),
      duration: 1,
    });
    call.log('warning', `${'y'.repeat(1980)}${all()}${'z'.repeat(20_000)}`);
    call.writeFile('notes.md', all());
    return {
      response: `${'r'.repeat(190)}${all()}`,
      outcome: { status: 'success', notes: all(), context_updates: { said: all() } },
    };
  },
  files: (call) => {
    call.makeStageDirectory();
    writeFileSync(
      path.join(call.stageDirectory, 'status.json'),
      JSON.stringify({ outcome: 'success', notes: all(), context_updates: { 'a.key': { deep: keys() } } }),
    );
    return 'done';
  },
};

const backend = {
  async run(node, prompt, _context, call) {
    appendFileSync(path.join(call.workingDirectory, 'prompts.txt'), `${prompt}\n`);
    return answers[node.id]?.(call) ?? 'done';
  },
};

const handler = {
  async execute(stage) {
    stage.artifacts.store('leak', `name ${all()}`, { keys: keys(), text: inJson(), toJSON: undefined });
    stage.artifacts.store('large', 'large', `${all()}${'q'.repeat(200_000)}`);
    stage.inform(`informs of ${all()}`);
    stage.log('info', `logs ${all()}`);
    const { value, text } = await stage.ask({
      type: 'FREEFORM',
      text: `Is it ${all()}?`,
      metadata: { hint: all() },
    });
    stage.context.set('answered', `${text ?? value} ${all()}`);
    return {
      status: 'success',
      preferred_label: all(),
      notes: `notes ${encoded()}`,
      context_updates: { [`key ${all()}`]: 1, big: `${all()}${'w'.repeat(200_000)}` },
    };
  },
};

export default {
  name: 'leaking',
  backends: [{ name: 'leaky', create: () => backend }],
  handlers: [{ type: 'leak', handler }],
};
