import { otherNames } from '../../../graph/attribute-tables/other-names.js';
import type { AttributeOwner } from '../../../graph/attributes.js';
import { quote } from '../../../parser/dot/quote.js';
import { type AttributeRule, renamed } from '../dot-dialect.js';

/** Other names of attributes that lint knows too. */
export function otherNamesOf(owner: AttributeOwner): Readonly<Record<string, AttributeRule>> {
  return Object.fromEntries([...otherNames[owner]].map(([name, here]) => [name, renamed(here)]));
}

/** `@prompts/review.md` is a file; a system prompt of the node stands before its prompt. */
export const prompt: AttributeRule = ({ attribute, beside }) => {
  const text = attribute.value.text.trim();
  const file = /^@([^\s@]+)$/.exec(text)?.[1];
  if (file !== undefined) {
    return {
      attributes: [{ name: 'prompt_file', raw: quote(file) }],
      note: file.startsWith('~')
        ? {
            kind: 'lost',
            message: `prompt_file=${quote(file)}: "~" is not a directory here; write the whole path`,
          }
        : undefined,
    };
  }
  const system = beside.get('system_prompt')?.trim() ?? '';
  if (system !== '' && !system.startsWith('@'))
    return { attributes: [{ name: 'prompt', raw: quote(`${system}\n\n${attribute.value.text}`) }] };
  return attribute.key.name === 'prompt' ? undefined : { attributes: [{ name: 'prompt' }] };
};

/** Only the pipeline has a system prompt here. */
export const systemPrompt: AttributeRule = ({ attribute, beside }) => ({
  attributes: [],
  note: beside.has('prompt')
    ? { kind: 'changed', message: 'the system_prompt of the stage stands before its prompt' }
    : {
        kind: 'lost',
        message: `system_prompt=${quote(attribute.value.text)}: only the pipeline has one here`,
      },
});

/** Sub-pipeline in a file that has to be migrated too. */
export function child(name = 'child'): AttributeRule {
  return ({ attribute }) => ({
    attributes: [{ name }],
    note: { kind: 'changed', message: `migrate ${quote(attribute.value.text)}, too` },
  });
}

/** Limit of visits for all nodes; 0 means none. */
export const visitsOfAllNodes: AttributeRule = ({ attribute }) => {
  const limit = Number(attribute.value.text);
  return Number.isInteger(limit) && limit > 0
    ? { attributes: [], prologue: [`node [max_visits=${limit}]`] }
    : { attributes: [] };
};

/** Only said with `true`; it cannot turn a failure into a success here. */
export const autoStatus: AttributeRule = ({ attribute }) =>
  attribute.value.text === 'true'
    ? {
        attributes: [{ name: 'auto_status' }],
        note: {
          kind: 'changed',
          message:
            'auto_status only helps a stage that reports no status; a failure stays a failure, after which `on_failure=continue` continues',
        },
      }
    : undefined;
