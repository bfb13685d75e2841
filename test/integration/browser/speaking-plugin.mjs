// A stage of the type `speaks` says what its attribute `says` holds, as a model does, and continues when the file `<node id>.go` is in the run directory.

import { existsSync } from 'node:fs';
import { join } from 'node:path';

export default {
  name: 'speaking',
  handlers: [
    {
      type: 'speaks',
      handler: {
        async execute(stage) {
          const says = String(stage.node.attributes.get('says')?.value ?? '');
          stage.writeFile('prompt.md', `Say: ${says}`);
          stage.report({ kind: 'text', channel: 'reasoning', text: 'Let me think. ' });
          for (const word of says.split(' '))
            stage.report({ kind: 'text', channel: 'response', text: `${word} ` });
          stage.report({ kind: 'tool_call_started', call_id: '1', tool: 'read_file', input: { path: says } });
          stage.report({
            kind: 'tool_call_completed',
            call_id: '1',
            tool: 'read_file',
            success: true,
            output: says,
            duration: 12,
          });
          const usage = { requests: 1, input_tokens: 1200, output_tokens: 340, cost_usd: 0.021 };
          stage.report({ kind: 'model_used', provider: 'test', model: 'large', usage });
          while (!existsSync(join(stage.logsRoot, `${stage.node.id}.go`))) await stage.sleep(50);
          stage.writeFile('response.md', says);
          return { status: 'success', notes: says, context_updates: { [`${stage.node.id}.said`]: says } };
        },
      },
    },
  ],
};
