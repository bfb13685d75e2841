import { excerpt } from '../../../diagnostic/excerpt.js';
import { nodeAttribute } from '../../../graph/attributes.js';
import type { Node } from '../../../graph/graph.js';
import { promptFileOf } from '../../../graph/prompt-file.js';
import { nodesHandledBy } from '../../../graph/queries.js';
import { handlersInDoubt, misspelt } from '../../misspelt.js';
import type { Finding, LintRule } from '../../rule.js';

/**
 * §7.2 `prompt_on_llm_nodes`; an explicit label is the prompt of a stage without one (§2.6, SEMANTICS 42).
 * Undeclared nodes are left to `implicit_node`.
 */
export const promptOnLlmNodes: LintRule = {
  name: 'prompt_on_llm_nodes',
  severity: 'warning',
  summary: 'Every LLM stage has a prompt.',
  rationale:
    'An LLM stage without a `prompt` sends its label to the model, and without a label its id, which tells the model next to nothing. A prompt that is only `@` and a path is sent as written: no file is read. Say in `prompt` what the stage should do. A node that is not meant as an LLM stage needs another `shape` or `type`.',
  provesAbsence: true,
  *apply(graph, { handlerTypes }) {
    const { nodeMeans } = misspelt(graph);
    const inDoubt = handlersInDoubt(graph, handlerTypes);
    for (const node of nodesHandledBy(graph, handlerTypes, ({ llm }) => llm)) {
      const prompt = nodeAttribute(node, 'prompt');
      if (fileReference.test(prompt)) yield fileAsPrompt(node, prompt);
      if (!node.declared || !isBlank(prompt) || promptFileOf(node) !== undefined) continue;
      if (!nodeMeans(node, 'prompt') && !inDoubt.has(node)) yield withoutPrompt(node);
    }
  },
};

/** `@prompts/review.md`: other tools read the file (SEMANTICS 112). */
const fileReference = /^\s*@[\w.~/-]*[\w-]\.\w+\s*$|^\s*@[\w.~-]*\/[\w./-]+\s*$/;

function fileAsPrompt(node: Node, prompt: string): Finding {
  const { valueSpan: span = node.span } = node.attributes.get('prompt') ?? {};
  return {
    message: `the prompt of ${excerpt(node.id)} is ${excerpt(prompt.trim())}, but no file is read: the model only gets this text`,
    span,
    nodeId: node.id,
    fix: {
      title: `write \`prompt_file=${JSON.stringify(prompt.trim().slice(1))}\`, which is read before the run`,
      edits: [],
    },
  };
}

/** True for a blank text; prompts are long, and nearly all begin with a letter. */
function isBlank(text: string): boolean {
  return !(text.charCodeAt(0) > 0x20) && text.trim() === '';
}

function withoutPrompt(node: Node): Finding {
  const label = nodeAttribute(node, 'label')?.trim() ?? '';
  const common = {
    span: node.span,
    nodeId: node.id,
    fix: { title: 'add `prompt="…"`', edits: [] },
  };
  return label === ''
    ? {
        ...common,
        message: `LLM stage ${excerpt(node.id)} has neither a prompt nor a label: the model only gets its id`,
      }
    : {
        ...common,
        severity: 'info',
        message: `LLM stage ${excerpt(node.id)} has no prompt: its label ${excerpt(label)} is used as the prompt`,
      };
}
