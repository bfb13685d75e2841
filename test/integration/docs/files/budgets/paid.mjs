// Stands in for a model that has to be paid for: every stage makes three requests, and tells what each used.

export default {
  name: 'paid',
  backends: [
    {
      name: 'paid',
      create: () => ({
        async run(node, _prompt, _context, call) {
          for (let request = 0; request < 3; request += 1) {
            call.checkBudget();
            const usage = { requests: 1, input_tokens: 4000, output_tokens: 1000, cached_input_tokens: 3000 };
            call.report({ kind: 'model_used', provider: 'anthropic', model: call.model.model ?? '', usage });
          }
          return `${node.id} is done`;
        },
      }),
    },
  ],
};
