// A stage of the type `asks` puts a question of the kind that its attribute `kind` names: human gates only ask with choices.

const questions = new Map([
  ['yes_no', { type: 'YES_NO', options: [], default: { value: 'NO' }, timeout_seconds: 3600 }],
  ['confirmation', { type: 'CONFIRMATION', options: [] }],
  ['freeform', { type: 'FREEFORM', options: [] }],
  [
    'several',
    {
      type: 'MULTIPLE_CHOICE',
      options: [
        { key: 'L', label: 'Linux' },
        { key: 'M', label: 'macOS' },
        { key: 'W', label: 'Windows' },
      ],
      metadata: { 'attractor.multi_select': true },
    },
  ],
]);

export default {
  name: 'asking',
  handlers: [
    {
      type: 'asks',
      handler: {
        async execute({ node, ask }) {
          const text = (key) => String(node.attributes.get(key)?.value ?? '');
          const question = questions.get(text('kind'));
          const answer = await ask({ ...question, text: text('label') });
          return { status: 'success', context_updates: { [node.id]: answer.text ?? answer.value } };
        },
      },
    },
  ],
};
