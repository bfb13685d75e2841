// A backend for LLM stages. This one answers from its prompt; yours calls a model or an agent.
//
//   attractor run examples/plugins/pipeline.dot --plugin ./examples/plugins/backend.mjs --backend echo --auto-approve

import { definePlugin } from 'attractor-dot';

export default definePlugin({
  name: 'echo',
  backends: [
    {
      name: 'echo',
      // Called once, and only where the pipeline has a stage that may need it: read keys and open connections here.
      create: () => ({
        async run(node, prompt, context, { signal, attempt }) {
          // A model call would be given the signal, which is aborted when the time is up or the run stops.
          signal.throwIfAborted();
          if (prompt === '') {
            // An outcome instead of a text; what is thrown becomes a failure, too.
            return { status: 'fail', failure_reason: 'there is nothing to say' };
          }
          const model = node.attributes.get('llm_model')?.value ?? 'no model';
          return `${model}, attempt ${attempt}, for ${context.getString('graph.goal')}: ${prompt.toUpperCase()}`;
        },
        // Called when the run has ended or paused.
        close: () => console.error('the echo has faded'),
      }),
    },
  ],
});
