import { excerpt } from '../../../diagnostic/excerpt.js';
import type { Attribute, Node } from '../../../graph/graph.js';
import { promptFileOf } from '../../../graph/prompt-file.js';
import { attributeOwners } from '../../attribute-owners.js';
import { valueSpanOf } from '../../findings-inside.js';
import type { PipelineFiles } from '../../named-files.js';
import type { LintRule } from '../../rule.js';

/** SEMANTICS 112: the file that a `prompt_file` names can be read. */
export const promptFileUsable: LintRule = {
  name: 'prompt_file_usable',
  severity: 'error',
  summary: 'The file with the prompt of a stage can be read.',
  rationale:
    'The file that `prompt_file` names is read before a run begins, and its text becomes the prompt. The name is relative to the directory of the pipeline, so a pipeline from standard input or from HTTP cannot have one. A node has either a `prompt` or a `prompt_file`, and defaults for nodes (`node [...]`) cannot set it.',
  needsFiles: true,
  *apply(graph, { source, files }) {
    if (files === undefined) return;
    const seen = new Set<Attribute>();
    for (const node of attributeOwners(graph).nodesWith('prompt_file')) {
      const attribute = promptFileOf(node);
      if (attribute === undefined || seen.has(attribute)) continue;
      seen.add(attribute);
      const [problem, help] = problemOf(node, attribute, files);
      yield {
        message: `the prompt_file of ${excerpt(node.id)}, ${excerpt(String(attribute.value))}, ${problem}`,
        span: valueSpanOf(attribute, source),
        nodeId: node.id,
        fix: { title: help, edits: [] },
      };
    }
  },
};

function problemOf(
  node: Node,
  attribute: Attribute,
  files: PipelineFiles,
): readonly [problem: string, help: string] {
  if (attribute.origin === 'explicit' && node.attributes.get('prompt')?.origin === 'explicit')
    return ['is set together with `prompt`', 'remove one of the two'];
  if (attribute.origin !== 'explicit')
    return ['cannot be a default for nodes', 'write it on each node that has this prompt'];
  if (files.self === undefined)
    return [
      'is not read: a pipeline that is not in a file cannot refer to files',
      'put the text into `prompt`, or run the pipeline from a file',
    ];
  const file = files.read(String(attribute.value).trim());
  const help = 'correct the name; it is relative to the directory of this file';
  if (file.kind === 'unusable') return [`cannot be read: ${file.problem}`, help];
  const nearest = file.kind === 'missing' ? file.near : undefined;
  return [`does not exist${nearest === undefined ? '' : ` (did you mean ${excerpt(nearest)}?)`}`, help];
}
