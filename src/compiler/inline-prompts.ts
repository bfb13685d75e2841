import { editSet } from '../diagnostic/edit-set.js';
import type { SourceText } from '../diagnostic/source.js';
import type { Attribute, Graph, Node } from '../graph/graph.js';
import { promptFileOf } from '../graph/prompt-file.js';
import type { PipelineFiles } from '../lint/named-files.js';
import { quote } from '../parser/dot/quote.js';

interface Inlined {
  readonly graph: Graph;
  /** Text of the pipeline with these prompts in it, which names no file any more. */
  readonly text: string;
}

/**
 * Replaces each `prompt_file` by a `prompt` with the text of the file (SEMANTICS 112), so that all that follows sees one
 * kind of prompt. A file that cannot be read stays named, for lint.
 */
export function inlinePrompts(graph: Graph, source: SourceText, files: PipelineFiles | undefined): Inlined {
  const { text } = source;
  if (files?.self === undefined || !text.includes('prompt_file')) return { graph, text };
  const edits = editSet(text);
  const known = new Map<Attribute, Attribute | undefined>();
  const inline = (attribute: Attribute): Attribute | undefined => {
    if (known.has(attribute)) return known.get(attribute);
    const file = files.read(String(attribute.value).trim());
    const prompt: Attribute | undefined =
      file.kind === 'text'
        ? { ...attribute, name: 'prompt', value: file.text, origin: 'transform' }
        : undefined;
    known.set(attribute, prompt);
    if (file.kind !== 'text') return undefined;
    edits.add(
      [
        { span: attribute.keySpan, text: 'prompt' },
        { span: attribute.valueSpan, text: quote(file.text) },
      ],
      'prompt_file',
    );
    return prompt;
  };
  const nodes = [...graph.nodes].map(([id, node]): [string, Node] => [id, withPrompt(node, inline)]);
  return { graph: { ...graph, nodes: new Map(nodes) }, text: edits.apply() };
}

function withPrompt(node: Node, inline: (attribute: Attribute) => Attribute | undefined): Node {
  const attribute = promptFileOf(node);
  // Lint refuses a default, which nodes may override, and a file next to a prompt of the node itself.
  const isInlined = attribute?.origin === 'explicit' && node.attributes.get('prompt')?.origin !== 'explicit';
  const prompt = isInlined ? inline(attribute) : undefined;
  if (prompt === undefined) return node;
  const attributes = new Map(node.attributes);
  attributes.delete('prompt_file');
  attributes.set('prompt', prompt);
  return { ...node, attributes };
}
